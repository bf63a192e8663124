import type { SegmentSet } from '../decision/definitions.ts';
import type { Json, JsonObject } from '../../core/kernel/text/json.ts';
import { eventCountOf } from '../conditions/event-count.ts';
import { MEMBER_NAMES } from '../conditions/members.ts';
import { segmentsReadBy } from '../conditions/segments/segment-names.ts';
import type { Segment } from '../decision/targeting.ts';
import { unchanging } from './guarded-condition.ts';

/** A segment with the definition it was compiled from. */
export interface DefinedSegment {
  segment: Segment;
  conditions: JsonObject;
}

/**
 * Indexes segments by the fields they read. An event changes only its own counter and the time the player was last
 * seen, so most events need no evaluation of most segments. A segment reads what the segments that it names read.
 *
 * Segments that read each other in a circle, or read such ones, keep their players: writes refuse circles, but two
 * writes at the same moment may make one for a short time.
 * @param eventOf the name of the events that a named computed property counts
 * @param lists ids of all static segments, disabled ones too
 */
export function createSegmentSet(
  defined: readonly DefinedSegment[],
  eventOf: (key: string) => string | undefined = () => undefined,
  lists?: ReadonlySet<string>,
): SegmentSet {
  const levels = levelsOf(defined);
  const inOrder = levels.flat();
  const all = inOrder.map(({ segment }) => segment);
  const ids = new Map(all.map((segment) => [segment.id, segment]));
  const inner = reachOf(inOrder);
  const own = new Map(inOrder.map(({ segment, conditions }) => [segment.id, readsOf(conditions, eventOf)]));
  const reads = all.map(({ id }) => [id, ...(inner.get(id) ?? [])].flatMap((read) => own.get(read) ?? []));
  const byAnyEvent = all.filter((_, place) => reads[place]?.includes(ANY_EVENT));
  const byEvent = new Map<string, Segment[]>();
  for (const name of new Set(reads.flat())) {
    byEvent.set(
      name,
      all.filter((_, place) => reads[place]?.includes(name) || reads[place]?.includes(ANY_EVENT)),
    );
  }
  const readers = new Map<string, Segment[]>();
  for (const segment of all) {
    for (const id of [segment.id, ...(inner.get(segment.id) ?? [])]) {
      const held = readers.get(id);
      if (held === undefined) readers.set(id, [segment]);
      else held.push(segment);
    }
  }
  return {
    all,
    isNested: inOrder.some(({ conditions }) => segmentsReadBy(conditions).length > 0),
    get: (id) => ids.get(id),
    touchedBy: (eventName) => byEvent.get(eventName) ?? byAnyEvent,
    withReaders: (id) => readers.get(id) ?? NO_SEGMENTS,
    ...(lists === undefined ? {} : { lists }),
  };
}

const NO_SEGMENTS: readonly Segment[] = [];

/** Segments by their depth: those of the first level read no other one. Each level is sorted by id. */
function levelsOf(defined: readonly DefinedSegment[]): DefinedSegment[][] {
  let left = defined.toSorted((a, b) => (a.segment.id < b.segment.id ? -1 : 1));
  const open = new Set(left.map(({ segment }) => segment.id));
  const levels: DefinedSegment[][] = [];
  while (left.length > 0) {
    const isOpen = ({ conditions }: DefinedSegment) => segmentsReadBy(conditions).some((id) => open.has(id));
    const level = left.filter((each) => !isOpen(each));
    if (level.length === 0) return [...levels, left.map(keepingPlayers)];
    levels.push(level);
    left = left.filter(isOpen);
    for (const { segment } of level) open.delete(segment.id);
  }
  return levels;
}

function keepingPlayers({ segment }: DefinedSegment): DefinedSegment {
  return { segment: { ...segment, condition: unchanging(segment.id) }, conditions: {} };
}

/** The segments that each one reads, directly or not. @param inOrder each after those that it reads */
function reachOf(inOrder: readonly DefinedSegment[]): Map<string, ReadonlySet<string>> {
  const reach = new Map<string, ReadonlySet<string>>();
  for (const { segment, conditions } of inOrder) {
    const read = segmentsReadBy(conditions).filter((id) => reach.has(id));
    reach.set(segment.id, new Set(read.flatMap((id) => [id, ...(reach.get(id) ?? [])])));
  }
  return reach;
}

/** In a list of names of events: every event may change the condition. */
const ANY_EVENT = '';

type EventOf = (key: string) => string | undefined;

/** The names of the events whose counters a condition reads. */
function readsOf(conditions: JsonObject, eventOf: EventOf): string[] {
  const names = new Set<string>();
  return gather(conditions, names, eventOf) ? [...names] : [ANY_EVENT];
}

/** The event name in `events.<name>.<measure>`; names may contain dots. */
function counterName(field: string): string | undefined {
  const end = field.lastIndexOf('.');
  const isWhole = end > COUNTERS.length && end < field.length - 1;
  return isWhole ? field.slice(COUNTERS.length, end) : undefined;
}

const COUNTERS = 'events.';
const COMPUTED = 'computed.';

/** Gathers event names; `false` if the condition's fields are unknown, or change with every event. */
function gather(condition: Json, names: Set<string>, eventOf: EventOf): boolean {
  if (typeof condition !== 'object' || condition === null || Array.isArray(condition)) return false;
  return Object.entries(condition).every(([field, operand]) => {
    if (field === '$not') return gather(operand, names, eventOf);
    if (field === '$and' || field === '$or' || field === '$nor') {
      return Array.isArray(operand) && operand.every((part) => gather(part, names, eventOf));
    }
    // Facts that change a player's id, device or attributes evaluate all segments.
    if (MEMBER_NAMES.includes(field)) return true;
    if (field.startsWith('$') || field === 'days_since_last_seen') return false;
    if (field === 'events') {
      const read = eventCountOf(operand);
      if ('fault' in read) return false;
      names.add(read.spec.event);
      return true;
    }
    if (field.startsWith(COMPUTED)) {
      const event = eventOf(field.slice(COMPUTED.length));
      if (event !== undefined) names.add(event);
      return true;
    }
    if (!field.startsWith(COUNTERS)) return true;
    const name = counterName(field);
    if (name !== undefined) names.add(name);
    return name !== undefined;
  });
}
