import type { PublicEvent } from '../../../core/vocabulary/facts/event-json.ts';
import { EVENT_QUERY_LIMITS } from './limits.ts';
import { QUERY_LIMITS } from '../limits.ts';
import { type EventRow, foundEvent, placeOf } from './stored-event.ts';
import { ROW_STEP } from '../../rows/common-columns.ts';
import type { RowPlace } from '../../rows/player-rows.ts';
import type { QueryResult } from '../../query-result.ts';

/** Filters of events; a missing filter matches all events. */
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
  /** Only events after this one in the order of pages. */
  behind?: RowPlace | undefined;
  limit: number;
}

/** Events, newest first: by `received_at`, then by their position in the log. */
export interface EventPage {
  events: PublicEvent[];
  /** The last row read, if more follow. A page may have fewer events than `limit`, even none. */
  next: RowPlace | undefined;
}

/** Runs a statement with parameters. */
type RunQuery = <Row>(sql: string, parameters: Record<string, unknown>) => Promise<QueryResult<Row[]>>;

/** Reads a page. It ends after `limit` rows, or with the event whose properties exceed `eventPageBytes`. */
export async function findEvents(runQuery: RunQuery, query: EventQuery): Promise<QueryResult<EventPage>> {
  const result = await runQuery<PageRow>(eventQuery(query), {
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
    // One row more than the page holds shows whether another page follows.
    limit: query.limit + 1,
    bytes: QUERY_LIMITS.eventPageBytes,
  });
  if (result.kind === 'unavailable') return result;
  const shown = result.value.slice(0, query.limit);
  const last = shown.at(-1);
  const more = last !== undefined && last.found > shown.length;
  const events = shown.filter((row) => row.erased === 0).map((row) => foundEvent(row));
  return { kind: 'answered', value: { events, next: more ? placeOf(last) : undefined } };
}

/** A row of the result. */
interface PageRow extends EventRow {
  /** 1: the player was erased after this event. */
  erased: number;
  /** Rows of the page before its bytes were bounded. */
  found: number;
}

/**
 * The statement for a page. Callers' values are parameters; the text depends only on which filters are set.
 *
 * It first finds the keys of the page's rows, in the table or one of its projections (0001_events.sql), which it
 * reads in the order of the page and only as far as needed. Two parts of the text ensure this. ORDER BY starts with the
 * columns that the filter fixes, because the engine does not derive that for a projection. The filter is a PREWHERE:
 * for a WHERE the engine (26.7) adds a filter for the newest rows found so far, and then reads every part to its end.
 * Afterwards each row is read by its key.
 *
 * Rows of an erased player that are not deleted yet (see `eraser.ts`) are marked and returned without properties.
 * Few rows describe an unfinished erasure, because merges drop them; a leftover one hides no existing event.
 * Sequences are comparable within one FACTS only, so events received well after the erasure are not affected.
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
  SELECT event_id, event_name, player_id, session_id, properties, timestamp, received_at, facts_sequence, facts_index,
    facts_created AS imported_in
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
    if(imported_in = 0, received_ms, imported_in) < place.1
      OR (facts_sequence, bitAnd(facts_index, ${ROW_STEP - 1})) < (place.2, place.3) AND received_ms < place.4 + ${EVENT_QUERY_LIMITS.resultsMarginMs} AS erased,
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

/** The first columns of the order: those that the filter fixes to one value. */
function fixedOrder(playerId: string | undefined, eventName: string | undefined): string {
  if (playerId !== undefined) return 'player_id DESC';
  return eventName === undefined ? 'game_id DESC, environment DESC' : 'game_id DESC, environment DESC, event_name DESC';
}

/** The first condition follows from the second; it lets the engine use the primary key. */
const BEHIND = `received_at <= fromUnixTimestamp64Milli({behind:Int64})
        AND (received_at < fromUnixTimestamp64Milli({behind:Int64})
          OR (facts_sequence, facts_index) < ({sequence:UInt64}, {index:UInt32}))`;
