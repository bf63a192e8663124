import type { DomainFact } from '../../../core/vocabulary/facts/facts.ts';
import type { PlayerState } from '../../../core/vocabulary/state/state.ts';
import type { Json, JsonObject } from '../../../core/kernel/text/json.ts';
import { SIM_LIMITS } from '../machines/sim-limits.ts';
import { decodeJson } from '../../../core/codec/codec.ts';
import type { MemoryBroker } from '../../../streams/log/memory/log-memory.ts';
import type { EventCounter, SegmentMembership } from '../../../core/vocabulary/state/player.ts';
import type { PropertySpec } from '../../../core/vocabulary/documents/computed.ts';
import { inOrderOfDepth, isKnown, memberHolds, type Members, membersOf, withReaders } from './model-nesting.ts';
import {
  eventCount,
  type NamedProperties,
  type NamedProperty,
  namedProperty,
  valueNow,
} from './players/model-computed.ts';

/**
 * Segments as documented: memberships by an independent evaluation of the conditions that the simulation creates
 * (definitions.ts), and the times at which a player must be evaluated again.
 */
export interface ModelSegment {
  id: string;
  key: string;
  conditions: JsonObject;
  /** The current load of its list. */
  load?: string;
  includes: readonly string[];
  excludes: readonly string[];
  /** The named properties that its conditions may read. */
  named: NamedProperties;
  /** The ids of all segments of the revision. */
  there: ReadonlySet<string>;
}

/** The definitions of every CONFIG revision, as the broker received them. */
export interface ConfigHistory {
  /** Each after those that it reads. */
  segmentsAt(revision: number): readonly ModelSegment[];
  /** The segments of a revision and of each later change. */
  segmentsSince(revision: number): (readonly ModelSegment[])[];
  /** The revision of the newest change of a segment or a named property; 0 if there is none. */
  readonly lastSegmentRevision: number;
  /** The computed properties that the definitions of a revision need, by id. */
  neededAt(revision: number): ReadonlyMap<string, PropertySpec>;
  /** The named properties of a revision and of each later change. */
  namedSince(revision: number): NamedProperties[];
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** The longest period of any of the simulation's conditions. */
const WINDOW_DAYS = 8;
const KEPT_DAYS = 30;

export function recordConfig(broker: MemoryBroker): ConfigHistory {
  const changes: { revision: number; id: string; made: Made | undefined }[] = [];
  const known = new Map<number, readonly ModelSegment[]>();
  broker.bucket('CONFIG').onWrite(({ key, value, revision }) => {
    const [, environment, kind, name = ''] = key.split('.');
    if ((kind !== 'segment' && kind !== 'property') || environment !== 'live') return;
    const id = `${kind}.${name}`;
    const document = value === undefined ? undefined : decodeJson(value);
    const made =
      document === undefined ? undefined : kind === 'segment' ? parseSegment(document) : named(name, document);
    // A deletion that arrives a second time changes nothing.
    const isHeld = changes.findLast((change) => change.id === id)?.made !== undefined;
    if (made !== undefined || isHeld) changes.push({ revision, id, made });
  });

  function heldAt(revision: number): Made[] {
    const held = new Map<string, Made>();
    for (const change of changes) {
      if (change.revision > revision) break;
      if (change.made === undefined) held.delete(change.id);
      else held.set(change.id, change.made);
    }
    return [...held.values()];
  }

  function namedAt(revision: number): NamedProperties {
    return new Map(
      heldAt(revision).flatMap((made) => ('property' in made ? [[made.property.key, made.property]] : [])),
    );
  }

  function fold(revision: number): readonly ModelSegment[] {
    const named = namedAt(revision);
    const made = heldAt(revision).flatMap((one) => ('segment' in one ? [one.segment] : []));
    const there = new Set(made.map(({ id }) => id));
    return inOrderOfDepth(made.map((segment) => ({ ...segment, named, there })));
  }

  function since(revision: number): number[] {
    return [revision, ...changes.map((change) => change.revision).filter((later) => later > revision)];
  }

  function segmentsAt(revision: number): readonly ModelSegment[] {
    const segments = known.get(revision) ?? fold(revision);
    known.set(revision, segments);
    return segments;
  }

  return {
    segmentsAt,
    segmentsSince: (revision) => since(revision).map(segmentsAt),
    get lastSegmentRevision() {
      return changes.at(-1)?.revision ?? 0;
    },
    neededAt(revision) {
      const named = [...namedAt(revision).values()].map(({ id, spec }) => [id, spec] as const);
      // The conditions of a segment with a list are not read.
      const conditions = segmentsAt(revision).flatMap(({ load, conditions }) =>
        load === undefined ? [conditions] : [],
      );
      const counts = conditions.flatMap((one) => countsIn(one)).map(({ id, spec }) => [id, spec] as const);
      return new Map([...named, ...counts]);
    },
    namedSince: (revision) => since(revision).map(namedAt),
  };
}

/** What a document defines. */
type Made = { segment: Omit<ModelSegment, 'named' | 'there'> } | { property: NamedProperty };

function named(key: string, value: unknown): Made {
  if (!isObject(value)) throw new Error('not a property');
  return { property: namedProperty(key, value) };
}

function parseSegment(value: unknown): Made {
  const fields = new Map<string, unknown>(Object.entries(value ?? {}));
  const [id, key, conditions] = [fields.get('id'), fields.get('key'), fields.get('conditions')];
  if (typeof id !== 'string' || typeof key !== 'string' || !isObject(conditions)) throw new Error('not a segment');
  const list = fields.get('list');
  const load = isObject(list) && typeof list['load'] === 'string' ? { load: list['load'] } : {};
  const includes = texts(fields.get('includes'));
  return { segment: { id, key, conditions, ...load, includes, excludes: texts(fields.get('excludes')) } };
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** Whether a player belongs to a segment at a time. */
function belongsTo(
  segment: ModelSegment,
  state: PlayerState,
  at: number,
  isIn: Members['isIn'] = membersOf(state).isIn,
): boolean {
  const { id, load, conditions, includes, excludes, named, there } = segment;
  if (excludes.includes(state.id)) return false;
  if (includes.includes(state.id)) return true;
  if (load === undefined) return isTrue(conditions, state, at, named, { isIn, isThere: (one) => there.has(one) });
  return (state.lists ?? []).some(({ segmentId, loads }) => segmentId === id && loads.includes(load));
}

/** The result of evaluating some of a player's segments. */
export interface SegmentUpdate {
  /** Entries and exits, without the times of later evaluations. */
  facts: DomainFact[];
  next: PlayerState;
  evaluated: readonly ModelSegment[];
  /** The time of the evaluation. */
  atMs: number;
}

/** @param wanted the segments to evaluate; `all` also ends memberships of deleted segments */
export function predictSegments(
  state: PlayerState,
  segments: readonly ModelSegment[],
  wanted: readonly ModelSegment[] | 'all',
  at: number,
): SegmentUpdate {
  const due = state.segmentsDueAt !== 0 && state.segmentsDueAt <= at;
  const all = wanted === 'all' || due;
  const list = all ? segments : wanted;
  const { id: entityId, game, environment, externalId } = state;
  const base = { entityId, game, environment, at };
  const facts: DomainFact[] = [];
  const memberships = new Map(state.segments.map((membership) => [membership.segmentId, membership]));
  for (const segment of list) {
    const { id: segmentId, key: segmentKey } = segment;
    const belongs = belongsTo(segment, state, at, (other) => memberships.has(other));
    if (belongs === memberships.has(segmentId)) continue;
    facts.push({ ...base, kind: belongs ? 'SegmentEntered' : 'SegmentExited', segmentId, segmentKey, externalId });
    if (belongs) memberships.set(segmentId, { segmentId, segmentKey, since: at });
    else memberships.delete(segmentId);
  }
  for (const { segmentId, segmentKey } of all ? state.segments : []) {
    if (segments.some(({ id }) => id === segmentId)) continue;
    facts.push({ ...base, kind: 'SegmentExited', segmentId, segmentKey, externalId });
    memberships.delete(segmentId);
  }
  return { facts, next: { ...state, segments: inOrder(memberships) }, evaluated: list, atMs: at };
}

function inOrder(memberships: ReadonlyMap<string, SegmentMembership>): SegmentMembership[] {
  return [...memberships.values()].sort((a, b) => (a.segmentId < b.segmentId ? -1 : 1));
}

/** The segments whose conditions read events of this name, and those that read these. */
export function readersOf(segments: readonly ModelSegment[], eventName: string): ModelSegment[] {
  const direct = segments.filter(({ conditions, load, named }) => {
    if (load !== undefined) return false;
    const fields = fieldsOf(conditions);
    const counts = countsIn(conditions).map(({ spec }) => spec.event);
    const computed = [...fields].map((field) => named.get(field.slice('computed.'.length))?.spec.event);
    return (
      fields.has('days_since_last_seen') ||
      [...fields].some((field) => field.startsWith(`events.${eventName}.`)) ||
      [...counts, ...computed].includes(eventName)
    );
  });
  return withReaders(segments, new Set(direct.map(({ id }) => id)));
}

/** Explains why a player's next evaluation is too late for these segments; `undefined` if it is not. */
export function missedChange({ evaluated, next: state }: SegmentUpdate, at: number): string | undefined {
  const times: number[] = [];
  for (let day = 0; day <= WINDOW_DAYS; day++) {
    times.push(
      (Math.floor(at / DAY_MS) + day) * DAY_MS,
      state.firstSeenAt + day * DAY_MS,
      state.lastSeenAt + day * DAY_MS,
    );
  }
  const later = times.filter((time) => time > at).sort((a, b) => a - b);
  for (const segment of evaluated) {
    const { id } = segment;
    const now = belongsTo(segment, state, at);
    const change = later.find((time) => belongsTo(segment, state, time) !== now);
    const { segmentsDueAt } = state;
    if (change === undefined || (segmentsDueAt !== 0 && segmentsDueAt <= change + SIM_LIMITS.segmentJitterMs)) continue;
    return `${id} changes at ${change}, ${state.id} is evaluated at ${segmentsDueAt}`;
  }
  return undefined;
}

/**
 * Memberships that are wrong when every edit has been swept and nothing is in progress.
 * @param latestMs the latest time that any owner or gateway used. One whose clock was ahead evaluated as of that time,
 *   and the service does not evaluate again as of an earlier time.
 */
export function wrongMemberships(
  state: PlayerState,
  segments: readonly ModelSegment[],
  nowMs: number,
  latestMs: number,
): string[] {
  const mayChangeSoon = state.segmentsDueAt > nowMs - 10_000;
  const before = [Math.floor(nowMs / DAY_MS) * DAY_MS - 1, nowMs - 10_000];
  const wrong = segments.flatMap((segment) => {
    const { id } = segment;
    const isMember = state.segments.some(({ segmentId }) => segmentId === id);
    if (belongsTo(segment, state, nowMs) === isMember) return [];
    if (latestMs > nowMs && belongsTo(segment, state, latestMs) === isMember) return [];
    if (mayChangeSoon && before.some((time) => belongsTo(segment, state, time) === isMember)) return [];
    return [`${isMember ? 'in' : 'not in'} ${id}`];
  });
  const gone = state.segments.filter(({ segmentId }) => !segments.some(({ id }) => id === segmentId));
  return [...wrong, ...gone.map(({ segmentId }) => `in ${segmentId}, which was deleted`)];
}

/** The counters after one more event, rebuilt from a list of days. */
export function countedOnce(counters: readonly EventCounter[], name: string, at: number): EventCounter[] {
  const day = Math.floor(at / DAY_MS);
  const days = daysOf(counters.find((counter) => counter.name === name));
  const newest = Math.max(day, ...days.keys());
  if (day <= newest - KEPT_DAYS) return [...counters];
  days.set(day, (days.get(day) ?? 0) + 1);
  const oldest = Math.min(...[...days.keys()].filter((each) => each > newest - KEPT_DAYS));
  const counts = Array.from({ length: newest - oldest + 1 }, (_, back) => days.get(newest - back) ?? 0);
  return [{ name, day: newest, counts }, ...counters.filter((counter) => counter.name !== name)];
}

/** The counters after one more event of the past, each in its place. A new name goes to the end. */
export function countedBefore(counters: readonly EventCounter[], name: string, at: number): EventCounter[] {
  const place = counters.findIndex((counter) => counter.name === name);
  const [counted] = countedOnce(place < 0 ? [] : counters.slice(place, place + 1), name, at);
  if (counted === undefined) return [...counters];
  return place < 0 ? [...counters, counted] : counters.with(place, counted);
}

function daysOf(counter: EventCounter | undefined): Map<number, number> {
  const days = new Map<number, number>();
  counter?.counts.forEach((count, back) => {
    if (count > 0) days.set(counter.day - back, count);
  });
  return days;
}

/** Whether a condition of the simulation holds for a player at a time. */
export function isTrue(
  conditions: JsonObject,
  state: PlayerState,
  at: number,
  named: NamedProperties = new Map(),
  members: Members = membersOf(state),
): boolean {
  return Object.entries(conditions).every(([field, wanted]) => {
    const holds = (part: JsonObject): boolean => isTrue(part, state, at, named, members);
    if (field === '$or') return parts(wanted).some(holds);
    if (field === '$and') return parts(wanted).every(holds);
    if (field === '$not') return isObject(wanted) && isKnown(wanted, state, members) && !holds(wanted);
    const member = memberHolds(field, wanted, state, members);
    if (member !== undefined) return member;
    if (field === 'events') {
      const { id, spec, count } = eventCount(wanted);
      return compares(valueNow(state, id, spec, at), count);
    }
    if (field.startsWith('computed.')) {
      const property = named.get(field.slice('computed.'.length));
      return compares(property === undefined ? null : valueNow(state, property.id, property.spec, at), wanted);
    }
    return compares(valueOf(field, state, at), wanted);
  });
}

function compares(value: unknown, wanted: Json): boolean {
  if (!isObject(wanted)) return value === wanted;
  return Object.entries(wanted).every(([operator, bound]) => {
    if (operator === '$gte') return typeof value === 'number' && value >= Number(bound);
    throw new Error(`the model knows no ${operator}`);
  });
}

/** The counts of events by their properties in a condition. */
function countsIn(conditions: JsonObject): ReturnType<typeof eventCount>[] {
  return Object.entries(conditions).flatMap(([field, wanted]) => {
    if (field === 'events') return [eventCount(wanted)];
    return field.startsWith('$') ? parts(wanted).flatMap((part) => countsIn(part)) : [];
  });
}

function valueOf(field: string, state: PlayerState, at: number): unknown {
  const [first = '', name = '', measure = ''] = field.split('.');
  const daysSince = (time: number): number => Math.max(0, Math.floor((at - time) / DAY_MS));
  switch (first) {
    case 'attributes':
      return new Map<string, unknown>(Object.entries(JSON.parse(state.attributes))).get(name);
    case 'lifecycle_stage':
      return state.lifecycleStage;
    case 'days_since_first_seen':
      return daysSince(state.firstSeenAt);
    case 'days_since_last_seen':
      return daysSince(state.lastSeenAt);
    case 'events': {
      const days = daysOf(state.counters.find((counter) => counter.name === name));
      // If a clock was ahead, the newest counted day is used as today.
      const today = Math.max(Math.floor(at / DAY_MS), ...days.keys());
      const ages = [...days].map(([day, count]) => ({ age: today - day, count }));
      if (measure === 'last_days_ago') {
        // An event that never happened counts as infinitely long ago.
        return Math.min(Infinity, ...ages.map(({ age }) => age));
      }
      const within = Number(/^count_(\d+)d$/.exec(measure)?.[1]);
      return ages.reduce((sum, { age, count }) => sum + (age < within ? count : 0), 0);
    }
    default:
      throw new Error(`the model knows no ${field}`);
  }
}

function fieldsOf(conditions: JsonObject): Set<string> {
  return new Set(
    Object.entries(conditions).flatMap(([field, wanted]) =>
      field.startsWith('$') ? parts(wanted).flatMap((part) => [...fieldsOf(part)]) : [field],
    ),
  );
}

function parts(wanted: Json): JsonObject[] {
  return (Array.isArray(wanted) ? wanted : [wanted]).filter(isObject);
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
