import type { PublicEvent } from '../../../core/vocabulary/facts/event-json.ts';
import { type EventRow, foundEvent, placeOf } from './stored-event.ts';
import type { RowPlace } from '../../rows/player-rows.ts';
import type { CallerKind } from '../../../core/vocabulary/documents/scope.ts';

/** Filters of quarantined events; a missing filter matches all events. */
export interface QuarantineFilter {
  game: string;
  environment: string;
  /** A UUID. */
  playerId?: string | undefined;
  eventName?: string | undefined;
  eventIds?: readonly string[] | undefined;
  /** Bounds of `received_at`, epoch milliseconds, the upper one exclusive. */
  sinceMs?: number | undefined;
  untilMs?: number | undefined;
}

export interface QuarantineQuery extends QuarantineFilter {
  order: 'newest_first' | 'oldest_first';
  /** Whether released events are included. */
  withReleased: boolean;
  /** Only events after this one in that order. */
  behind?: RowPlace | undefined;
  limit: number;
  /** Maximum bytes of properties; the event that exceeds it is the last. */
  bytes: number;
}

export interface QuarantinePage {
  events: QuarantinedRow[];
  /** The last event, if more follow. */
  next: RowPlace | undefined;
}

export interface QuarantinedRow extends PublicEvent {
  /** Its number in the player's quarantine, from `EventQuarantined`. */
  number: number;
  /** The guest in whose quarantine it has the number, if that was merged into the player. */
  guestId: string | undefined;
  schemaVersion: number;
  /** JSON text: the first few faults. */
  reason: string;
  /** Whether the event was released, as of about one second ago. */
  released: boolean;
  /** The kind of its API key, if stored. */
  by: CallerKind | undefined;
}

/** Converts result rows to a page. */
export function quarantinePage(rows: readonly QuarantineRow[]): QuarantinePage {
  const last = rows.at(-1);
  const isAll = last === undefined || rows.length === last.found;
  return { events: rows.map(quarantinedRow), next: isAll ? undefined : placeOf(last) };
}

/** A row of the result. */
export interface QuarantineRow extends EventRow {
  quarantine_number: string | number;
  schema_version: number;
  reason: string;
  released: number;
  key_kind: string;
  guest_id: string;
  is_merged: number;
  /** Number of rows, at most one more than the page holds. */
  found: number;
}

function quarantinedRow(row: QuarantineRow): QuarantinedRow {
  return {
    ...foundEvent(row),
    number: Number(row.quarantine_number),
    guestId: row.is_merged === 1 ? row.guest_id : undefined,
    schemaVersion: row.schema_version,
    reason: row.reason,
    released: row.released === 1,
    by: row.key_kind === 'client' || row.key_kind === 'server' ? row.key_kind : undefined,
  };
}

/**
 * The statement for a page. Callers' values are parameters; the text depends only on which filters are set. Players
 * with an unfinished erasure are left out.
 */
export function quarantineQuery(query: QuarantineQuery): { sql: string; parameters: Record<string, unknown> } {
  const { game, environment, playerId, eventName, eventIds, sinceMs, untilMs, behind, limit, bytes } = query;
  const isNewest = query.order === 'newest_first';
  const direction = isNewest ? 'DESC' : 'ASC';
  const order = ['received_at', 'facts_sequence', 'facts_index'].map((column) => `${column} ${direction}`).join(', ');
  const conditions = [
    SCOPE,
    `player_id NOT IN (SELECT player_id FROM erasures FINAL WHERE ${SCOPE} AND step < 2)`,
    ...(playerId === undefined ? [] : ['player_id = {player:UUID}']),
    ...(eventName === undefined ? [] : ['event_name = {name:String}']),
    ...(eventIds === undefined ? [] : ['event_id IN {ids:Array(String)}']),
    ...(sinceMs === undefined ? [] : ['received_at >= fromUnixTimestamp64Milli({since:Int64})']),
    ...(untilMs === undefined ? [] : ['received_at < fromUnixTimestamp64Milli({until:Int64})']),
    ...(behind === undefined ? [] : behindIt(isNewest ? '<' : '>')),
    ...(query.withReleased ? [] : [`(${QUARANTINED_AS}, quarantine_number) NOT IN (${releases(spanOf(query))})`]),
  ];
  const sql = `
WITH page AS (
  SELECT event_id, event_name, player_id, session_id, properties, timestamp, received_at, quarantine_number, schema_version, reason,
    key_kind, merged_from, facts_sequence, facts_index
  FROM quarantined_events
  WHERE ${conditions.join('\n    AND ')}
  ORDER BY ${order}
  LIMIT {rows:UInt32}
)
SELECT event_id, event_name, player_id, session_id, properties, toUnixTimestamp64Milli(timestamp) AS timestamp_ms,
  toUnixTimestamp64Milli(received_at) AS received_ms, quarantine_number, schema_version, reason, key_kind, toString(merged_from[1]) AS guest_id, notEmpty(merged_from) AS is_merged,
  facts_sequence, facts_index, found,
  (${QUARANTINED_AS}, quarantine_number) IN (
    ${releases(['quarantined_at >= (SELECT min(received_at) FROM page)', 'quarantined_at <= (SELECT max(received_at) FROM page)'])}
  ) AS released
FROM (
  SELECT *, toUInt32(count() OVER ()) AS found, row_number() OVER in_order AS place,
    sum(length(properties)) OVER in_order - length(properties) AS bytes_before
  FROM page
  WINDOW in_order AS (ORDER BY ${order})
)
WHERE place <= {limit:UInt32} AND bytes_before < {bytes:UInt64}
ORDER BY ${order}`;
  return {
    sql,
    parameters: {
      game,
      environment,
      limit,
      // One row more than the page holds shows whether another page follows.
      rows: limit + 1,
      bytes,
      ...(playerId === undefined ? {} : { player: playerId }),
      ...(eventName === undefined ? {} : { name: eventName }),
      ...(eventIds === undefined ? {} : { ids: eventIds }),
      ...(sinceMs === undefined ? {} : { since: sinceMs }),
      ...(untilMs === undefined ? {} : { until: untilMs }),
      ...(behind === undefined ? {} : { ms: behind.receivedMs, sequence: behind.sequence, index: behind.index }),
    },
  };
}

const SCOPE = 'game_id = {game:String} AND environment = {environment:String}';

/** The player as whom an event was quarantined: the guest, if that was merged into `player_id`. */
export const QUARANTINED_AS = 'if(empty(merged_from), player_id, merged_from[1])';

/** Releases by player and number. They store the time of the quarantine, so a query reads only those of its time. */
function releases(conditions: readonly string[]): string {
  return `SELECT quarantined_as, quarantine_number FROM quarantine_releases WHERE ${[SCOPE, ...conditions].join(' AND ')}`;
}

/** The first condition lets the engine use the primary key. */
function behindIt(sign: '<' | '>'): string[] {
  return [
    `received_at ${sign}= fromUnixTimestamp64Milli({ms:Int64})`,
    `(received_at ${sign} fromUnixTimestamp64Milli({ms:Int64})
      OR (facts_sequence, facts_index) ${sign} ({sequence:UInt64}, {index:UInt32}))`,
  ];
}

/** Bounds of the time of quarantine that follow from the query's filters. */
function spanOf({ order, sinceMs, untilMs, behind }: QuarantineQuery): string[] {
  return [
    ...(sinceMs === undefined ? [] : ['quarantined_at >= fromUnixTimestamp64Milli({since:Int64})']),
    ...(untilMs === undefined ? [] : ['quarantined_at < fromUnixTimestamp64Milli({until:Int64})']),
    ...(behind === undefined
      ? []
      : [`quarantined_at ${order === 'newest_first' ? '<' : '>'}= fromUnixTimestamp64Milli({ms:Int64})`]),
  ];
}
