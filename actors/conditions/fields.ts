import { isObject, type Json, type JsonObject } from '../../core/kernel/text/json.ts';
import { SHARED_LIMITS } from '../../core/kernel/limits.ts';
import { TEXT_LIMITS } from '../../core/kernel/text/limits.ts';
import { elapsedDays } from '../../core/kernel/days.ts';
import { computedAt, computedChangesAt } from '../computed/player-values.ts';
import { propertyIdOf } from '../computed/property-spec.ts';
import { countChangesAt, countWithin, lastDayStart, lastDaysAgo } from '../computed/event-counters.ts';
import type { PropertySpec } from '../../core/vocabulary/documents/computed.ts';
import { isBlank, platformName } from '../../core/vocabulary/state/platform.ts';
import { NEVER_SEEN } from '../../core/vocabulary/state/player.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import type { DefinitionLookup, Subject } from '../decision/targeting.ts';
import { eventCountOf, type EventCountFault } from './event-count.ts';
import { attributesOf } from './player-attributes.ts';
import { pathReader } from './values.ts';

/** A field that a condition names. `Source` is the subject, or inside $elemMatch an array's element. */
export interface Field<Source> {
  read: (source: Source) => Json;
  /** The number that a missing value counts as in comparisons. */
  missing: number;
  clock?: FieldClock;
  /** Whether a read scans the player's counters. */
  counts?: true;
  /** The member of the operand that is compared with the value, if it is not the operand itself. */
  compared?: { name: string; operand: Json };
  /** What an operand means, where one thing has several names. */
  meant?: (operand: Json) => Json;
  /** The member of the operand that is a condition on events. */
  filter?: { name: string; where: JsonObject };
}

/** How a field changes by time alone. */
export type FieldClock =
  /** Counts whole days since a time (epoch milliseconds); `undefined`: no such time, so it never changes. */
  | { kind: 'elapsed'; sinceMs: (player: PlayerState) => number | undefined }
  | { kind: 'count'; changesAt: (player: PlayerState, nowMs: number) => number | undefined };

/** `at`: the member of the operand that is invalid. */
export type FieldFaulty = EventCountFault;

/** Finds a field by name, or says why the name or the form of its operand is invalid. */
export type FieldLookup<Source> = (name: string, operand: Json) => Field<Source> | FieldFaulty;

/** Revenue is stored in ten-thousandths of the currency and compared in the currency. */
const MONEY = 10_000;

const PLAYER_FIELDS: ReadonlyMap<string, Field<Subject>> = new Map([
  ['external_id', field(({ player }) => player.externalId)],
  ['lifecycle_stage', field(({ player }) => player.lifecycleStage)],
  ['session_count', field(({ player }) => player.sessionCount)],
  ['total_revenue', field(({ player }) => player.totalRevenue / MONEY)],
  ['is_payer', field(({ player }) => player.isPayer)],
  ['purchase_count', field(({ player }) => player.purchaseCount)],
  ['total_playtime_seconds', field(({ player }) => player.totalPlaytimeSeconds)],
  ['days_since_first_seen', daysSince((player) => player.firstSeenAt)],
  ['days_since_last_seen', daysSinceLastSeen()],
]);

const PLATFORM = 'platform';
const DEVICE_FIELDS: ReadonlyMap<string, (player: PlayerState) => string | null | undefined> = new Map([
  [PLATFORM, ({ device }: PlayerState) => device?.platform],
  ['os_version', ({ device }: PlayerState) => device?.osVersion],
  ['app_version', ({ device }: PlayerState) => device?.appVersion],
  ['build', ({ device }: PlayerState) => device?.build],
  ['device_model', ({ device }: PlayerState) => device?.deviceModel],
  ['device_locale', ({ device }: PlayerState) => device?.locale],
]);

export interface SubjectFields {
  context?: boolean;
  properties?: boolean;
  lookup?: DefinitionLookup | undefined;
}

/**
 * The fields of a player: stored values, `attributes.<path>`, `events.<name>.<measure>`, `events` with an object, and
 * `computed.<key>`.
 * @param more `lookup`: finds the named properties at every read, because they change apart from conditions;
 * `context`: adds `context.<path>`, and device fields read the request's context before the player's latest
 * init; `properties`: adds `properties.<path>` of an event
 */
export function subjectField(
  name: string,
  operand: Json,
  { context: withContext = false, properties: withProperties = false, lookup }: SubjectFields,
): Field<Subject> | FieldFaulty {
  const own = PLAYER_FIELDS.get(name);
  if (own !== undefined) return own;
  if (name === 'events') return eventCountField(operand);
  const device = DEVICE_FIELDS.get(name);
  if (device !== undefined) return deviceField(name, device, withContext);
  const dot = name.indexOf('.');
  const rest = name.slice(dot + 1);
  switch (dot === -1 ? '' : name.slice(0, dot)) {
    case 'attributes':
      return pathField(rest, ({ player }) => attributesOf(player));
    case 'events':
      return eventField(rest);
    case 'computed':
      return computedField(rest, lookup);
    case 'context':
      if (withContext) return contextField(rest);
      return { fault: 'is available in the rules of flags only' };
    case 'properties':
      if (withProperties) return pathField(rest, ({ properties }) => properties ?? null);
      return {
        fault:
          'is available in the triggers of campaigns only; to count events by their properties, use ' +
          '{"events": {"name": …, "where": {"properties.<path>": …}, "count": {"$gte": 1}}}',
      };
  }
  const more = [...(withContext ? ['context.<path>'] : []), ...(withProperties ? ['properties.<path>'] : [])];
  return { fault: `is an unknown field; use one of ${[...FIELD_NAMES, ...more].join(', ')}` };
}

/**
 * A field that texts to players name: one of conditions that needs no operand, and nothing of a request or an event.
 */
export function namedField(name: string, lookup: DefinitionLookup | undefined): Field<Subject> | FieldFaulty {
  const dot = name.indexOf('.');
  if (NOT_OF_PLAYERS.has(dot === -1 ? name : name.slice(0, dot))) {
    return { fault: 'is not known when a message is delivered; keep it as an attribute of the player' };
  }
  if (name === 'events') return { fault: 'has no single value; use a computed property' };
  return subjectField(name, null, { lookup });
}

const NOT_OF_PLAYERS: ReadonlySet<string> = new Set(['properties', 'context']);

/** Whether every player has a value in the field. */
export function isNamedAlways(name: string): boolean {
  if (name.startsWith('events.')) return !name.endsWith('.last_days_ago');
  return PLAYER_FIELDS.get(name)?.missing === 0;
}

/** The fields of an event in its filter. */
export function filterField(name: string): Field<JsonObject> | FieldFaulty {
  if (!name.startsWith(EVENT_PROPERTIES)) return { fault: 'is an unknown field of an event; use properties.<path>' };
  return pathField(name.slice(EVENT_PROPERTIES.length), (properties: JsonObject) => properties);
}

const EVENT_PROPERTIES = 'properties.';

/** The fields of an array's element: any path into it. */
export function elementField(name: string): Field<Json> | { fault: string } {
  return pathField(name, (element: Json) => element);
}

/** The fields that every condition may name; `<…>` is a placeholder. */
export const FIELD_NAMES: readonly string[] = [
  'attributes.<path>',
  'events.<name>.<count_1d, count_7d, count_30d or last_days_ago>',
  'events',
  'computed.<key>',
  ...PLAYER_FIELDS.keys(),
  ...DEVICE_FIELDS.keys(),
];

function field(read: (subject: Subject) => Json): Field<Subject> {
  return { read, missing: 0 };
}

function daysSince(sinceMs: (player: PlayerState) => number): Field<Subject> {
  return {
    read: ({ player, nowMs }) => elapsedDays(sinceMs(player), nowMs),
    missing: 0,
    clock: { kind: 'elapsed', sinceMs },
  };
}

/** Of a player who was never active it is neither small nor large. */
function daysSinceLastSeen(): Field<Subject> {
  const sinceMs = ({ lastSeenAt }: PlayerState) => (lastSeenAt === NEVER_SEEN ? undefined : lastSeenAt);
  return {
    read({ player, nowMs }) {
      const at = sinceMs(player);
      return at === undefined ? null : elapsedDays(at, nowMs);
    },
    missing: NaN,
    clock: { kind: 'elapsed', sinceMs },
  };
}

function deviceField(
  name: string,
  stored: (player: PlayerState) => string | null | undefined,
  withContext: boolean,
): Field<Subject> {
  const sent = pathReader([name]);
  const value = ({ player, context }: Subject): Json =>
    (withContext && context !== undefined ? unlessBlank(sent(context)) : null) ?? unlessBlank(stored(player) ?? null);
  return name === PLATFORM ? ofPlatforms(field(value)) : field(value);
}

const unlessBlank = (json: Json): Json => (typeof json === 'string' && isBlank(json) ? null : json);

function contextField(path: string): Field<Subject> | { fault: string } {
  const named = pathField(path, ({ context }: Subject) => context ?? null);
  return path === PLATFORM && 'read' in named ? ofPlatforms(named) : named;
}

/** A field whose values and operands mean platforms: every name that one has equals every other. */
function ofPlatforms({ read, ...others }: Field<Subject>): Field<Subject> {
  return { ...others, read: (subject) => platformsIn(unlessBlank(read(subject))), meant: platformsIn };
}

/** A value or an operand with the stored names of platforms, except in patterns. */
function platformsIn(json: Json): Json {
  if (typeof json === 'string') return platformName(json);
  if (Array.isArray(json)) return json.map(platformsIn);
  if (!isObject(json)) return json;
  return Object.fromEntries(
    Object.entries(json).map(([name, operand]) => [name, NO_NAMES.has(name) ? operand : platformsIn(operand)]),
  );
}

const NO_NAMES: ReadonlySet<string> = new Set(['$regex', '$regexi', '$notRegex', '$notRegexi', '$type']);

function pathField<Source>(path: string, root: (source: Source) => Json): Field<Source> | { fault: string } {
  const parts = path.split('.');
  if (parts.includes('')) return { fault: 'has an empty path segment; separate names with single dots' };
  // No accepted JSON is nested that deep.
  if (parts.length > SHARED_LIMITS.jsonDepth) return { read: () => null, missing: 0 };
  const read = pathReader(parts);
  return { read: (source) => read(root(source)), missing: 0 };
}

/** Event names may contain dots: the measure follows the last one. */
function eventField(path: string): Field<Subject> | { fault: string } {
  const dot = path.lastIndexOf('.');
  const name = path.slice(0, Math.max(dot, 0));
  if (name === '' || name.length > TEXT_LIMITS.nameLength) {
    return { fault: `must be events.<name>.<measure>, with a name of 1 to ${TEXT_LIMITS.nameLength} characters` };
  }
  switch (path.slice(dot + 1)) {
    case 'count_1d':
      return countField(name, 1);
    case 'count_7d':
      return countField(name, 7);
    case 'count_30d':
      return countField(name, 30);
    case 'last_days_ago':
      return lastDaysAgoField(name);
  }
  return {
    fault:
      'has an unknown measure; use count_1d, count_7d, count_30d or last_days_ago, or {"events": {"name": …, ' +
      '"where": {"properties.<path>": …}, "within_days": …, "count": {"$gte": 1}}}',
  };
}

function countField(name: string, days: number): Field<Subject> {
  return {
    read: ({ player, nowMs }) => countWithin(player.counters, name, days, nowMs),
    missing: 0,
    counts: true,
    clock: { kind: 'count', changesAt: (player, nowMs) => countChangesAt(player.counters, name, days, nowMs) },
  };
}

/** Missing counts as infinitely long ago: with 0, "at most 7 days ago" would hold for an event that never happened. */
function lastDaysAgoField(name: string): Field<Subject> {
  return {
    read: ({ player, nowMs }) => lastDaysAgo(player.counters, name, nowMs) ?? null,
    missing: Infinity,
    counts: true,
    clock: { kind: 'elapsed', sinceMs: (player) => lastDayStart(player.counters, name) },
  };
}

/** The number of events that pass a filter; counted by a property of its own. */
function eventCountField(operand: Json): Field<Subject> | FieldFaulty {
  const found = eventCountOf(operand);
  if ('fault' in found) return found;
  const { spec, count } = found;
  const id = propertyIdOf(spec);
  return {
    ...propertyField(() => ({ id, spec })),
    compared: { name: 'count', operand: count },
    ...(spec.where === undefined ? {} : { filter: { name: 'where', where: spec.where } }),
  };
}

function computedField(key: string, lookup: DefinitionLookup | undefined): Field<Subject> | FieldFaulty {
  if (key === '') return { fault: 'must be computed.<key>, with the key of a computed property' };
  const field = propertyField(() => lookup?.computed(key));
  return {
    ...field,
    read: (subject) => (subject.computedValue === undefined ? field.read(subject) : subject.computedValue(key)),
  };
}

/** A missing value is neither small nor large: with 0, "a best time below 60" would hold for players without one. */
function propertyField(find: () => { id: string; spec: PropertySpec } | undefined): Field<Subject> {
  return {
    read({ player, nowMs }) {
      const property = find();
      return property === undefined ? null : computedAt(player, property.id, property.spec, nowMs);
    },
    missing: NaN,
    clock: {
      kind: 'count',
      changesAt(player, nowMs) {
        const property = find();
        return property && computedChangesAt(player, property.id, property.spec, nowMs);
      },
    },
  };
}
