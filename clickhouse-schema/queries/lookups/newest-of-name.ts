import { LOOKUP_LIMITS } from './limits.ts';
import type { QueryResult } from '../../query-result.ts';
import { NOT_BEING_ERASED, type RunQuery, SCOPE } from './run-query.ts';

export interface NewestOfNameQuery {
  game: string;
  environment: string;
  eventName: string;
  limit: number;
}

/** An event as a dry run of a schema sees it. */
export interface SampleEvent {
  eventId: string;
  playerId: string;
  /** JSON text. */
  properties: string;
  /** Epoch milliseconds. */
  receivedAt: number;
  quarantined: boolean;
}

/** The newest events of a name, quarantined ones included, newest first; at most `dryRunBytes` of properties. */
export async function findNewestOfName(
  runQuery: RunQuery,
  { game, environment, eventName, limit }: NewestOfNameQuery,
): Promise<QueryResult<SampleEvent[]>> {
  const found = await runQuery<SampleRow>(NEWEST, { game, environment, name: eventName, limit });
  if (found.kind === 'unavailable') return found;
  const events = found.value.map((row) => ({
    eventId: row.event_id,
    playerId: row.player,
    properties: row.properties,
    receivedAt: Number(row.received_ms),
    quarantined: row.quarantined === 1,
  }));
  return { kind: 'answered', value: events };
}

interface SampleRow {
  event_id: string;
  player: string;
  properties: string;
  received_ms: string | number;
  quarantined: number;
}

const WHOSE = `${SCOPE} AND event_name = {name:String}`;

/** As in event-query.ts, a projection finds the newest events; ORDER BY starts with what the filter fixes. */
const NEWEST = `
SELECT event_id, player, properties, received_ms, quarantined
FROM (
  SELECT *, sum(length(properties)) OVER (ORDER BY received_ms DESC, event_id ROWS UNBOUNDED PRECEDING)
    - length(properties) AS bytes_before
  FROM (
    SELECT event_id, toString(player_id) AS player, properties, toUnixTimestamp64Milli(received_at) AS received_ms,
      quarantined
    FROM (
      SELECT event_id, player_id, properties, received_at, toUInt8(0) AS quarantined
      FROM events
      WHERE ${WHOSE} AND (received_at, facts_sequence, facts_index) IN (
        SELECT received_at, facts_sequence, facts_index
        FROM events
        PREWHERE ${WHOSE}
        ORDER BY game_id DESC, environment DESC, event_name DESC, received_at DESC, facts_sequence DESC, facts_index DESC
        LIMIT {limit:UInt32}
      )
      UNION ALL
      SELECT event_id, player_id, properties, received_at, toUInt8(1) AS quarantined
      FROM quarantined_events
      WHERE ${WHOSE}
      ORDER BY received_at DESC, facts_sequence DESC, facts_index DESC
      LIMIT {limit:UInt32}
    )
    WHERE ${NOT_BEING_ERASED}
    ORDER BY received_at DESC
    LIMIT {limit:UInt32}
  )
)
WHERE bytes_before < ${LOOKUP_LIMITS.dryRunBytes}
ORDER BY received_ms DESC, event_id`;
