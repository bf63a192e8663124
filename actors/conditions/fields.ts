import type { Json } from '../../src/kernel/json.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import { elapsedDays } from '../../src/kernel/days.ts';
import { countChangesAt, countWithin, lastDayStart, lastDaysAgo } from '../events/counters.ts';
import type { PlayerState } from '../vocabulary/state.ts';
import type { Subject } from '../targeting.ts';
import { attributesOf } from './player-attributes.ts';
import { pathReader } from './values.ts';

/** What a name in a condition stands for, in a source: the subject, or inside $elemMatch an array's element. */
export interface Field<Source> {
  read: (source: Source) => Json;
  /** What a missing value counts as in an order. */
  missing: number;
  clock?: FieldClock;
  /** Whether reading it goes through the player's counters. */
  counts?: true;
}

/** How time alone changes a field. */
export type FieldClock =
  /** It counts whole days from a moment (epoch milliseconds); `undefined`: from none, it stands still. */
  | { kind: 'elapsed'; sinceMs: (player: PlayerState) => number | undefined }
  | { kind: 'count'; changesAt: (player: PlayerState, nowMs: number) => number | undefined };

/** A field by its name, or what is wrong with the name. */
export type FieldLookup<Source> = (name: string) => Field<Source> | { fault: string };

/** Money is held in ten-thousandths and compared as money. */
const MONEY = 10_000;

const PLAYER_FIELDS: ReadonlyMap<string, Field<Subject>> = new Map([
  ['lifecycle_stage', field(({ player }) => player.lifecycleStage)],
  ['session_count', field(({ player }) => player.sessionCount)],
  ['total_revenue', field(({ player }) => player.totalRevenue / MONEY)],
  ['is_payer', field(({ player }) => player.isPayer)],
  ['purchase_count', field(({ player }) => player.purchaseCount)],
  ['total_playtime_seconds', field(({ player }) => player.totalPlaytimeSeconds)],
  ['days_since_first_seen', daysSince((player) => player.firstSeenAt)],
  ['days_since_last_seen', daysSince((player) => player.lastSeenAt)],
]);

const DEVICE_FIELDS: ReadonlyMap<string, (player: PlayerState) => string | null | undefined> = new Map([
  ['platform', ({ device }: PlayerState) => device?.platform],
  ['os_version', ({ device }: PlayerState) => device?.osVersion],
  ['app_version', ({ device }: PlayerState) => device?.appVersion],
  ['device_model', ({ device }: PlayerState) => device?.deviceModel],
]);

/**
 * The fields of a player: what the service holds, `attributes.<path>` and `events.<name>.<measure>`.
 * @param more `context`: also `context.<path>`, and a request's word on the device before the player's latest init;
 * `properties`: also `properties.<path>` of an event
 */
export function subjectField(
  name: string,
  { context: withContext = false, properties: withProperties = false }: { context?: boolean; properties?: boolean },
): Field<Subject> | { fault: string } {
  const own = PLAYER_FIELDS.get(name);
  if (own !== undefined) return own;
  const device = DEVICE_FIELDS.get(name);
  if (device !== undefined) return deviceField(name, device, withContext);
  const dot = name.indexOf('.');
  const rest = name.slice(dot + 1);
  switch (dot === -1 ? '' : name.slice(0, dot)) {
    case 'attributes':
      return pathField(rest, ({ player }) => attributesOf(player));
    case 'events':
      return eventField(rest);
    case 'context':
      if (withContext) return pathField(rest, ({ context }) => context ?? null);
      return { fault: 'context is only known to the rules of flags' };
    case 'properties':
      if (withProperties) return pathField(rest, ({ properties }) => properties ?? null);
      return { fault: 'properties are only known to the triggers of campaigns' };
  }
  return {
    fault: `is an unknown field; known are ${FIELD_NAMES.join(', ')}${withContext ? ', context.<path>' : ''}${withProperties ? ', properties.<path>' : ''}`,
  };
}

/** The fields of an array's element: any path into it. */
export function elementField(name: string): Field<Json> | { fault: string } {
  return pathField(name, (element: Json) => element);
}

/** Every field that all conditions may name; `<…>` stands for a name of the caller's. */
export const FIELD_NAMES: readonly string[] = [
  'attributes.<path>',
  'events.<name>.<count_1d, count_7d, count_30d or last_days_ago>',
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

function deviceField(
  name: string,
  held: (player: PlayerState) => string | null | undefined,
  withContext: boolean,
): Field<Subject> {
  if (!withContext) return field(({ player }) => held(player) ?? null);
  const sent = pathReader([name]);
  return field(({ player, context }) => (context === undefined ? null : sent(context)) ?? held(player) ?? null);
}

function pathField<Source>(path: string, root: (source: Source) => Json): Field<Source> | { fault: string } {
  const parts = path.split('.');
  if (parts.includes('')) return { fault: 'a part of the path is empty' };
  // Nothing in a body is that deep.
  if (parts.length > LIMITS.jsonDepth) return { read: () => null, missing: 0 };
  const read = pathReader(parts);
  return { read: (source) => read(root(source)), missing: 0 };
}

/** Names of events may hold dots, so the measure is what follows the last one. */
function eventField(path: string): Field<Subject> | { fault: string } {
  const dot = path.lastIndexOf('.');
  const name = path.slice(0, Math.max(dot, 0));
  if (name === '' || name.length > LIMITS.nameLength) {
    return { fault: `must be events.<name>.<measure>, the name 1 to ${LIMITS.nameLength} characters` };
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
  return { fault: 'unknown measure; there are count_1d, count_7d, count_30d and last_days_ago' };
}

function countField(name: string, days: number): Field<Subject> {
  return {
    read: ({ player, nowMs }) => countWithin(player.counters, name, days, nowMs),
    missing: 0,
    counts: true,
    clock: { kind: 'count', changesAt: (player, nowMs) => countChangesAt(player.counters, name, days, nowMs) },
  };
}

/** Never is longer ago than any number of days: were it 0, as missing values are, "at most 7 days ago" would be true. */
function lastDaysAgoField(name: string): Field<Subject> {
  return {
    read: ({ player, nowMs }) => lastDaysAgo(player.counters, name, nowMs) ?? null,
    missing: Infinity,
    counts: true,
    clock: { kind: 'elapsed', sinceMs: (player) => lastDayStart(player.counters, name) },
  };
}
