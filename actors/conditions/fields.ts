import type { Json } from '../../src/kernel/json.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import { elapsedDays } from '../../src/kernel/days.ts';
import { countChangesAt, countWithin, lastDayStart, lastDaysAgo } from '../events/counters.ts';
import type { PlayerState } from '../vocabulary/state.ts';
import type { Subject } from '../targeting.ts';
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
}

/** How a field changes by time alone. */
export type FieldClock =
  /** Counts whole days since a time (epoch milliseconds); `undefined`: no such time, so it never changes. */
  | { kind: 'elapsed'; sinceMs: (player: PlayerState) => number | undefined }
  | { kind: 'count'; changesAt: (player: PlayerState, nowMs: number) => number | undefined };

/** Finds a field by name, or says why the name is invalid. */
export type FieldLookup<Source> = (name: string) => Field<Source> | { fault: string };

/** Revenue is stored in ten-thousandths of the currency and compared in the currency. */
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
 * The fields of a player: stored values, `attributes.<path>` and `events.<name>.<measure>`.
 * @param more `context`: adds `context.<path>`, and device fields read the request's context before the player's latest
 * init; `properties`: adds `properties.<path>` of an event
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
      return { fault: 'is available in the rules of flags only' };
    case 'properties':
      if (withProperties) return pathField(rest, ({ properties }) => properties ?? null);
      return { fault: 'is available in the triggers of campaigns only' };
  }
  const more = [...(withContext ? ['context.<path>'] : []), ...(withProperties ? ['properties.<path>'] : [])];
  return { fault: `is an unknown field; use one of ${[...FIELD_NAMES, ...more].join(', ')}` };
}

/** The fields of an array's element: any path into it. */
export function elementField(name: string): Field<Json> | { fault: string } {
  return pathField(name, (element: Json) => element);
}

/** The fields that every condition may name; `<…>` is a placeholder. */
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
  stored: (player: PlayerState) => string | null | undefined,
  withContext: boolean,
): Field<Subject> {
  if (!withContext) return field(({ player }) => stored(player) ?? null);
  const sent = pathReader([name]);
  return field(({ player, context }) => (context === undefined ? null : sent(context)) ?? stored(player) ?? null);
}

function pathField<Source>(path: string, root: (source: Source) => Json): Field<Source> | { fault: string } {
  const parts = path.split('.');
  if (parts.includes('')) return { fault: 'has an empty path segment; separate names with single dots' };
  // No accepted JSON is nested that deep.
  if (parts.length > LIMITS.jsonDepth) return { read: () => null, missing: 0 };
  const read = pathReader(parts);
  return { read: (source) => read(root(source)), missing: 0 };
}

/** Event names may contain dots: the measure follows the last one. */
function eventField(path: string): Field<Subject> | { fault: string } {
  const dot = path.lastIndexOf('.');
  const name = path.slice(0, Math.max(dot, 0));
  if (name === '' || name.length > LIMITS.nameLength) {
    return { fault: `must be events.<name>.<measure>, with a name of 1 to ${LIMITS.nameLength} characters` };
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
  return { fault: 'has an unknown measure; use count_1d, count_7d, count_30d or last_days_ago' };
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
