import { LIMITS } from '../../src/kernel/limits.ts';
import { type EventRow, foundEvent, type FoundEvent, placeOf } from './stored-event.ts';
import type { RowPlace } from '../rows/player-rows.ts';
import type { QueryResult } from './query-result.ts';

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
  /** The last one looked at, if there are more behind it. A page may hold less than was asked for, and even nothing. */
  next: RowPlace | undefined;
}

/** Runs a statement whose values are bound. */
type Ask = <Row>(sql: string, parameters: Record<string, unknown>) => Promise<QueryResult<Row[]>>;

/** Asks for a page. It is full with `limit` rows, or with the event whose properties go over `LIMITS.eventPageBytes`. */
export async function findEvents(ask: Ask, query: EventQuery): Promise<QueryResult<EventPage>> {
  const asked = await ask<PageRow>(eventQuery(query), {
    game: query.game,
    environment: query.environment,
    player: query.playerId,
    name: query.eventName,
    session: query.sessionId,
    since: query.sinceMs,
    until: query.untilMs,
    behind: query.behind?.receivedMs,
    sequence: query.behind?.sequence,
    index: query.behind?.index,
    // One row more than there is room for tells whether there is another page.
    limit: query.limit + 1,
    bytes: LIMITS.eventPageBytes,
  });
  if (asked.kind === 'unavailable') return asked;
  const shown = asked.value.slice(0, query.limit);
  const last = shown.at(-1);
  const more = last !== undefined && last.found > shown.length;
  const events = shown.filter((row) => row.erased === 0).map((row) => foundEvent(row));
  return { kind: 'answered', value: { events, next: more ? placeOf(last) : undefined } };
}

/** A row as the statement answers it. */
interface PageRow extends EventRow {
  /** 1: its player was erased after it. */
  erased: number;
  /** Rows of the page before its bytes were bounded. */
  found: number;
}

/**
 * The statement that answers a page. Values of callers are parameters; its text depends only on which of them there are.
 *
 * First the keys of the page's rows are found, in the table or in one of its projections (0014_event_queries.sql): each is read in
 * the order of the page and no further. Two things of the text make sure of that. The order names what the filter fixes, as the
 * engine does not see that in a projection. And the filter is a PREWHERE: in a WHERE the engine (26.7) adds one of its own, for
 * the newest rows found so far, which keeps it reading what that filters out, to the end of every part. Then each row is read by
 * its key.
 *
 * Of a player that was erased while its rows still stand (see streams/sinks/clickhouse/eraser.ts) nothing is told: such rows come
 * without their properties, and marked. Rows that tell of an erasure before it was done are few, as merges drop them; one that is
 * left over hides nothing that is still there. Sequences mean something in their own FACTS only, so what was received well after
 * the erasure is of another life.
 */
function eventQuery({ playerId, eventName, sessionId, sinceMs, untilMs, behind }: EventQuery): string {
  const of = (wanted: unknown, condition: string): string[] => (wanted === undefined ? [] : [condition]);
  const whose = [
    'game_id = {game:String}',
    'environment = {environment:String}',
    ...of(playerId, 'player_id = {player:UUID}'),
  ].join(' AND ');
  const conditions = [
    whose,
    ...of(eventName, 'event_name = {name:String}'),
    ...of(sessionId, 'session_id = {session:String}'),
    ...of(sinceMs, 'received_at >= fromUnixTimestamp64Milli({since:Int64})'),
    ...of(untilMs, 'received_at < fromUnixTimestamp64Milli({until:Int64})'),
    ...of(behind, BEHIND),
  ];
  return `
WITH page AS (
  SELECT event_id, event_name, player_id, session_id, properties, timestamp, received_at, facts_sequence, facts_index
  FROM events
  WHERE game_id = {game:String} AND environment = {environment:String}
    AND (event_name, received_at, facts_sequence, facts_index) IN (
      SELECT event_name, received_at, facts_sequence, facts_index
      FROM events
      PREWHERE ${conditions.join('\n        AND ')}
      ORDER BY ${fixedOrder(playerId, eventName)}, received_at DESC, facts_sequence DESC, facts_index DESC
      LIMIT {limit:UInt32}
    )
),
erasing AS (
  SELECT player_id, max((facts_created, facts_sequence, facts_index, toUnixTimestamp64Milli(erased_at))) AS place
  FROM erasures
  WHERE ${whose} AND step < 2
  GROUP BY player_id
),
seen AS (
  SELECT
    page.*,
    toUnixTimestamp64Milli(received_at) AS received_ms,
    received_ms < place.1
      OR (facts_sequence, facts_index) < (place.2, place.3) AND received_ms < place.4 + ${LIMITS.resultsMarginMs} AS erased,
    if(erased, 0, length(properties)) AS bytes
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
  found
FROM (
  SELECT *, toUInt32(count() OVER ()) AS found, sum(bytes) OVER newest_first - bytes AS bytes_before
  FROM seen
  WINDOW newest_first AS (ORDER BY received_at DESC, facts_sequence DESC, facts_index DESC)
)
WHERE bytes_before < {bytes:UInt32}
ORDER BY received_at DESC, facts_sequence DESC, facts_index DESC`;
}

/** How the order begins in which the rows stand that a filter leads to: with columns of one value each. */
function fixedOrder(playerId: string | undefined, eventName: string | undefined): string {
  if (playerId !== undefined) return 'player_id DESC';
  return eventName === undefined ? 'game_id DESC, environment DESC' : 'game_id DESC, environment DESC, event_name DESC';
}

/** The first bound says no more than the rest, but leads the engine to the rows. */
const BEHIND = `received_at <= fromUnixTimestamp64Milli({behind:Int64})
        AND (received_at < fromUnixTimestamp64Milli({behind:Int64})
          OR (facts_sequence, facts_index) < ({sequence:UInt64}, {index:UInt32}))`;
