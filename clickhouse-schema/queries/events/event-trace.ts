import type { ClickHouseClient } from '@clickhouse/client';
import { EVENT_QUERY_LIMITS } from './limits.ts';
import { ROW_STEP } from '../../rows/common-columns.ts';

/** Whose events to look for; missing fields match all. */
export interface TraceScope {
  game?: string | undefined;
  environment?: string | undefined;
  /** The event's player, if known: a UUID. Then few rows are read. */
  playerId?: string | undefined;
}

/** A row that holds an event. Times are epoch milliseconds. */
export interface TracedRow {
  table: 'events' | 'quarantined_events';
  game: string;
  environment: string;
  eventId: string;
  eventName: string;
  playerId: string;
  /** The player in the log: the guest, if it was merged into `playerId`. */
  loggedPlayerId: string;
  externalId: string;
  /** `caller`, `service` or `import`. */
  source: string;
  timestampMs: number;
  receivedMs: number;
  insertedMs: number;
  sequence: number;
  /** The fact's place in its record. */
  index: number;
  /** What the schema had against a quarantined event, as JSON text. */
  reason: string;
}

/** The rows that one insert brought into a table. */
export interface InsertedBatch {
  rows: number;
  fromSequence: number;
  toSequence: number;
}

export interface TracedAttempt {
  deliveryId: string;
  webhookId: string;
  attempt: number;
  attemptedMs: number;
  durationMs: number;
  outcome: string;
  status: number | null;
  error: string;
  urlHost: string;
  nextAttemptMs: number | undefined;
}

/**
 * Reads where an event is in ClickHouse. Nothing is indexed by event id, so without a player the column is read as a
 * whole.
 * @param seconds the longest time of one statement
 */
export function createEventTraceSource(client: ClickHouseClient, seconds: number = EVENT_QUERY_LIMITS.traceSeconds) {
  const bounds = { ...BOUNDS, max_execution_time: seconds };

  async function rowsOf<Row>(query: string, query_params: Record<string, unknown>): Promise<Row[]> {
    return (
      await client.query({ query, query_params, format: 'JSONEachRow', clickhouse_settings: bounds })
    ).json<Row>();
  }

  return {
    async rows(eventId: string, scope: TraceScope): Promise<TracedRow[]> {
      const parameters = { id: eventId, game: scope.game ?? '', environment: scope.environment ?? '' };
      const { playerId } = scope;
      const found = await (playerId === undefined
        ? rowsOf<RowOfEvent>(rowsSql(false), parameters)
        : rowsOf<RowOfEvent>(rowsSql(true), { ...parameters, player: playerId }));
      return found.map(tracedRow);
    },
    /** The insert that brought a row, from rows that share its time. */
    async batch({ table, insertedMs, sequence }: TracedRow): Promise<InsertedBatch | undefined> {
      const near = EVENT_QUERY_LIMITS.sinkBatchRows;
      const parameters = { inserted: insertedMs, from: Math.max(0, sequence - near), to: sequence + near };
      const [row] = await rowsOf<{ rows: string; low: string; high: string }>(BATCH[table], parameters);
      return row && { rows: Number(row.rows), fromSequence: Number(row.low), toSequence: Number(row.high) };
    },
    async attempts({ game, environment, playerId, sequence, index, receivedMs }: TracedRow): Promise<TracedAttempt[]> {
      const parameters = { game, environment, player: playerId, sequence, index, since: receivedMs - CLOCKS_MS };
      const found = await rowsOf<RowOfAttempt>(ATTEMPTS, parameters);
      return found.map((row) => ({
        deliveryId: row.delivery_id,
        webhookId: row.webhook_id,
        attempt: row.attempt,
        attemptedMs: Number(row.attempted_ms),
        durationMs: row.duration_ms,
        outcome: row.outcome,
        status: row.status,
        error: row.error,
        urlHost: row.url_host,
        nextAttemptMs: row.next_ms === null ? undefined : Number(row.next_ms),
      }));
    },
  };
}

export type EventTraceSource = ReturnType<typeof createEventTraceSource>;

/** Clocks of machines differ by less. */
const CLOCKS_MS = 3_600_000;

const BOUNDS = {
  max_memory_usage: String(EVENT_QUERY_LIMITS.clickhouseReaderMemoryBytes),
  max_threads: EVENT_QUERY_LIMITS.clickhouseReaderThreads,
} as const;

interface RowOfEvent {
  table: TracedRow['table'];
  event_id: string;
  game_id: string;
  environment: string;
  event_name: string;
  player_id: string;
  logged_player_id: string;
  external_id: string;
  source: string;
  timestamp_ms: string | number;
  received_ms: string | number;
  inserted_ms: string | number;
  facts_sequence: string | number;
  facts_index: number;
  reason: string;
}

function tracedRow(row: RowOfEvent): TracedRow {
  return {
    table: row.table,
    game: row.game_id,
    environment: row.environment,
    eventId: row.event_id,
    eventName: row.event_name,
    playerId: row.player_id,
    loggedPlayerId: row.logged_player_id,
    externalId: row.external_id,
    source: row.source,
    timestampMs: Number(row.timestamp_ms),
    receivedMs: Number(row.received_ms),
    insertedMs: Number(row.inserted_ms),
    sequence: Number(row.facts_sequence),
    index: row.facts_index % ROW_STEP,
    reason: row.reason,
  };
}

function selectFrom(table: TracedRow['table'], source: string, reason: string, isOfPlayer: boolean): string {
  return `
SELECT '${table}' AS table, event_id, game_id, environment, event_name, toString(player_id) AS player_id,
  toString(if(empty(merged_from), ${table}.player_id, merged_from[1])) AS logged_player_id, external_id, ${source} AS source, toUnixTimestamp64Milli(timestamp) AS timestamp_ms,
  toUnixTimestamp64Milli(received_at) AS received_ms, toUnixTimestamp64Milli(inserted_at) AS inserted_ms,
  facts_sequence, facts_index, ${reason} AS reason
FROM ${table}
WHERE event_id = {id: String} AND ({game: String} = '' OR game_id = {game: String})
  AND ({environment: String} = '' OR environment = {environment: String})${
    // The name alone would be the text of the SELECT.
    isOfPlayer ? ` AND ${table}.player_id = {player: UUID}` : ''
  }`;
}

function rowsSql(isOfPlayer: boolean): string {
  return `
SELECT * FROM (${selectFrom('events', 'toString(source)', "''", isOfPlayer)}
UNION ALL${selectFrom('quarantined_events', "'caller'", 'reason', isOfPlayer)})
ORDER BY received_ms, facts_sequence, facts_index
LIMIT ${EVENT_QUERY_LIMITS.traceRows}`;
}

function batchOf(table: TracedRow['table']): string {
  return `
SELECT count() AS rows, min(facts_sequence) AS low, max(facts_sequence) AS high
FROM ${table}
WHERE inserted_at = fromUnixTimestamp64Milli({inserted: Int64})
  AND facts_sequence BETWEEN {from: UInt64} AND {to: UInt64}`;
}

const BATCH = { events: batchOf('events'), quarantined_events: batchOf('quarantined_events') };

interface RowOfAttempt {
  delivery_id: string;
  webhook_id: string;
  attempt: number;
  attempted_ms: string | number;
  duration_ms: number;
  outcome: string;
  status: number | null;
  error: string;
  url_host: string;
  next_ms: string | number | null;
}

const ATTEMPTS = `
SELECT delivery_id, webhook_id, attempt, toUnixTimestamp64Milli(attempted_at) AS attempted_ms, duration_ms, outcome,
  status, error, url_host, toUnixTimestamp64Milli(next_attempt_at) AS next_ms
FROM webhook_deliveries
WHERE game_id = {game: String} AND environment = {environment: String} AND player_id = {player: UUID}
  AND facts_sequence = {sequence: UInt64} AND facts_index = {index: UInt32}
  AND received_at >= fromUnixTimestamp64Milli({since: Int64})
ORDER BY attempted_at, records_sequence, records_index
LIMIT ${EVENT_QUERY_LIMITS.traceAttempts}`;
