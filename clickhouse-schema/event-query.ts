import { LIMITS } from '../src/kernel/limits.ts';
import type { Asked } from './analytics.ts';
import type { RowPlace } from './player-rows.ts';

/** Which events are asked for. What is left out may be anything. */
export interface EventFilter {
  game: string;
  environment: string;
  /** A UUID. */
  playerId?: string | undefined;
  eventName?: string | undefined;
  sessionId?: string | undefined;
  /** Bounds of `received_at`, epoch milliseconds, the upper one exclusive. */
  sinceMs?: number | undefined;
  untilMs?: number | undefined;
}

export interface EventQuery extends EventFilter {
  /** Only events behind this one, in the order of pages. */
  behind?: RowPlace | undefined;
  limit: number;
}

/** Some events, newest first: by `received_at`, then by their place in the log. */
export interface EventPage {
  events: FoundEvent[];
  /** The last one looked at, if there may be more behind it. A page may hold less than was asked for, and even nothing. */
  next: RowPlace | undefined;
}

/** Times are epoch milliseconds. */
export interface FoundEvent {
  eventId: string;
  eventName: string;
  playerId: string;
  sessionId: string | null;
  /** JSON text, as it was sent. */
  properties: string;
  timestamp: number;
  receivedAt: number;
}

/** Runs a statement whose values are bound. */
export type Ask = <Row>(sql: string, parameters: Record<string, unknown>) => Promise<Asked<Row[]>>;

/**
 * Looks for a page, from the newest span of time to the oldest, until it is full. A page is full with `limit` rows, or with the
 * event whose properties go over `LIMITS.eventPageBytes`.
 */
export async function findEvents(ask: Ask, query: EventQuery, nowMs: number): Promise<Asked<EventPage>> {
  const events: FoundEvent[] = [];
  let next: RowPlace | undefined;
  let looked = 0;
  let bytes = 0;
  for (const span of spansOf(query, nowMs)) {
    // One row more than there is room for tells whether there is another page.
    const { sql, parameters } = eventQuery(query, span, query.limit - looked + 1, LIMITS.eventPageBytes - bytes);
    const asked = await ask<EventRow>(sql, parameters);
    if (asked.kind === 'unavailable') return asked;
    const shown = asked.value.slice(0, query.limit - looked);
    for (const row of shown) {
      if (row.erased === 0) events.push(foundEvent(row));
      bytes += row.bytes;
      next = placeOf(row);
    }
    looked += shown.length;
    const more = shown.length < (asked.value[0]?.found ?? 0);
    if (more || bytes >= LIMITS.eventPageBytes) return { kind: 'answered', value: { events, next } };
  }
  return { kind: 'answered', value: { events, next: undefined } };
}

/** A span of `received_at`, epoch milliseconds; the upper end is exclusive. */
export interface Span {
  sinceMs: number | undefined;
  untilMs: number | undefined;
}

/**
 * The spans in which a page is looked for, newest first: together they are all the query asks for, and none overlap. A name or a
 * player alone leads the engine to the rows. Without them it would read every row of the game, as the table is ordered by name
 * first: so the newest seconds are looked at, then ten times as long, and so on.
 */
export function* spansOf(query: EventQuery, nowMs: number): Generator<Span> {
  const { sinceMs, behind } = query;
  const untilMs = behind === undefined ? query.untilMs : Math.min(query.untilMs ?? Infinity, behind.receivedMs + 1);
  if (query.eventName !== undefined || query.playerId !== undefined || query.sessionId !== undefined) {
    yield { sinceMs, untilMs };
    return;
  }
  const newestMs = Math.min(untilMs ?? Infinity, nowMs);
  let endMs = untilMs;
  for (let widthMs = LIMITS.eventSpanFirstMs; widthMs < LIMITS.eventSpanLastMs; widthMs *= LIMITS.eventSpanGrowth) {
    const startMs = newestMs - widthMs;
    if (startMs <= (sinceMs ?? 0)) break;
    yield { sinceMs: startMs, untilMs: endMs };
    endMs = startMs;
  }
  yield { sinceMs, untilMs: endMs };
}

/** A row as the statement answers it. */
interface EventRow {
  event_id: string;
  event_name: string;
  player_id: string;
  session_id: string | null;
  properties: string;
  timestamp_ms: string | number;
  received_ms: string | number;
  facts_sequence: string | number;
  facts_index: number;
  /** 1: its player was erased after it. */
  erased: number;
  /** Of `properties`. */
  bytes: number;
  /** Rows of the page before its bytes were bounded. */
  found: number;
}

function foundEvent(row: EventRow): FoundEvent {
  return {
    eventId: row.event_id,
    eventName: row.event_name,
    playerId: row.player_id,
    sessionId: row.session_id,
    properties: row.properties,
    timestamp: Number(row.timestamp_ms),
    receivedAt: Number(row.received_ms),
  };
}

function placeOf(row: EventRow): RowPlace {
  return {
    receivedMs: Number(row.received_ms),
    sequence: Number(row.facts_sequence),
    index: row.facts_index,
  };
}

/**
 * The statement that looks for events in one span. Values of callers are parameters; the text depends only on which of them there
 * are.
 *
 * First the keys of the page's rows are found, in the table or in one of its projections (0014_event_queries.sql): either is read in
 * the order of the page and no further than it. Then each row is read by its key.
 *
 * Of a player that was erased while its rows still stand (see streams/sinks/clickhouse/eraser.ts) nothing is told: such rows come
 * without their properties, and marked. Rows that tell of an erasure before it was done are few, as merges drop them; one that is
 * left over hides nothing that is still there. Sequences mean something in their own FACTS only, so what was received well after
 * the erasure is of another life.
 * @param bytes of properties; the row that goes over is the last
 */
function eventQuery(
  query: EventQuery,
  span: Span,
  limit: number,
  bytes: number,
): { sql: string; parameters: Record<string, unknown> } {
  const { game, environment, playerId, eventName, sessionId, behind } = query;
  const whose = [
    'game_id = {game:String}',
    'environment = {environment:String}',
    ...(playerId === undefined ? [] : ['player_id = {player:UUID}']),
  ];
  const conditions = [
    ...whose,
    ...(eventName === undefined ? [] : ['event_name = {name:String}']),
    ...(sessionId === undefined ? [] : ['session_id = {session:String}']),
    ...(span.sinceMs === undefined ? [] : ['received_at >= fromUnixTimestamp64Milli({since:Int64})']),
    ...(span.untilMs === undefined ? [] : ['received_at < fromUnixTimestamp64Milli({until:Int64})']),
    ...(behind === undefined ? [] : [BEHIND]),
  ];
  const sql = `
WITH page AS (
  SELECT event_id, event_name, player_id, session_id, properties, timestamp, received_at, facts_sequence, facts_index
  FROM events
  WHERE game_id = {game:String} AND environment = {environment:String}
    AND (event_name, received_at, facts_sequence, facts_index) IN (
      SELECT event_name, received_at, facts_sequence, facts_index
      FROM events
      WHERE ${conditions.join('\n        AND ')}
      ORDER BY received_at DESC, facts_sequence DESC, facts_index DESC
      LIMIT {limit:UInt32}
    )
),
erasing AS (
  SELECT player_id, max((facts_created, facts_sequence, facts_index, toUnixTimestamp64Milli(erased_at))) AS place
  FROM erasures
  WHERE ${whose.join(' AND ')} AND step < 2
  GROUP BY player_id
),
seen AS (
  SELECT
    page.*,
    toUnixTimestamp64Milli(received_at) AS received_ms,
    received_ms < place.1
      OR (facts_sequence, facts_index) < (place.2, place.3) AND received_ms < place.4 + ${LIMITS.resultsMarginMs} AS erased,
    toUInt32(if(erased, 0, length(properties))) AS bytes
  FROM page
  LEFT JOIN erasing ON page.player_id = erasing.player_id
)
SELECT
  event_id,
  event_name,
  player_id,
  session_id,
  if(erased, '', properties) AS properties,
  toUnixTimestamp64Milli(timestamp) AS timestamp_ms,
  received_ms,
  facts_sequence,
  facts_index,
  erased,
  bytes,
  found
FROM (
  SELECT *, toUInt32(count() OVER ()) AS found, sum(bytes) OVER newest_first - bytes AS bytes_before
  FROM seen
  WINDOW newest_first AS (ORDER BY received_at DESC, facts_sequence DESC, facts_index DESC)
)
WHERE bytes_before < {bytes:UInt32}
ORDER BY received_at DESC, facts_sequence DESC, facts_index DESC`;
  return {
    sql,
    parameters: {
      game,
      environment,
      limit,
      bytes,
      ...(eventName === undefined ? {} : { name: eventName }),
      ...(playerId === undefined ? {} : { player: playerId }),
      ...(sessionId === undefined ? {} : { session: sessionId }),
      ...(span.sinceMs === undefined ? {} : { since: span.sinceMs }),
      ...(span.untilMs === undefined ? {} : { until: span.untilMs }),
      ...(behind === undefined ? {} : { ms: behind.receivedMs, sequence: behind.sequence, index: behind.index }),
    },
  };
}

/** `received_at` is bounded by the span too, which is what leads the engine to the rows. */
const BEHIND = `(received_at < fromUnixTimestamp64Milli({ms:Int64})
      OR (facts_sequence, facts_index) < ({sequence:UInt64}, {index:UInt32}))`;
