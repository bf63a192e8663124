import { LOOKUP_LIMITS } from './limits.ts';
import type { QueryResult } from '../../query-result.ts';
import { QUARANTINED_AS } from '../events/quarantine-query.ts';
import { NOT_BEING_ERASED, type RunQuery, SCOPE } from './run-query.ts';

export interface SchemaFaultsQuery {
  game: string;
  environment: string;
  /** Only events of this name. */
  eventName: string | undefined;
  /** Only events received from then on, epoch milliseconds. */
  sinceMs: number;
}

/** A fault that schemas found in events of one name. Times are epoch milliseconds. */
export interface SchemaFault {
  eventName: string;
  /** Path and rule, as in `/level must be integer`. */
  fault: string;
  /** Whether these events are in quarantine; else they were accepted. */
  quarantined: boolean;
  events: number;
  players: number;
  firstAt: number;
  lastAt: number;
  /** Id of the latest such event. */
  exampleId: string;
}

/** The most frequent first faults of events. Quarantined events count as long as they are not replayed. */
export async function findSchemaFaults(
  runQuery: RunQuery,
  { game, environment, eventName, sinceMs }: SchemaFaultsQuery,
): Promise<QueryResult<SchemaFault[]>> {
  const name = eventName === undefined ? {} : { name: eventName };
  const found = await runQuery<FaultRow>(faultsSql(eventName !== undefined), {
    game,
    environment,
    since: sinceMs,
    ...name,
  });
  if (found.kind === 'unavailable') return found;
  const faults = found.value.map((row) => ({
    eventName: row.event_name,
    fault: row.fault,
    quarantined: row.quarantined === 1,
    events: Number(row.events),
    players: Number(row.players),
    firstAt: Number(row.first_ms),
    lastAt: Number(row.last_ms),
    exampleId: row.example,
  }));
  return { kind: 'answered', value: faults };
}

interface FaultRow {
  event_name: string;
  fault: string;
  quarantined: number;
  events: string | number;
  players: string | number;
  first_ms: string | number;
  last_ms: string | number;
  example: string;
}

function faultsSql(isOfOne: boolean): string {
  const whose = `${SCOPE} AND received_at >= fromUnixTimestamp64Milli({since:Int64})${
    isOfOne ? ' AND event_name = {name:String}' : ''
  } AND ${NOT_BEING_ERASED}`;
  return `
SELECT event_name, fault, quarantined, count() AS events, uniq(player_id) AS players,
  toUnixTimestamp64Milli(min(received_at)) AS first_ms, toUnixTimestamp64Milli(max(received_at)) AS last_ms,
  argMax(event_id, received_at) AS example
FROM (
  SELECT toString(event_name) AS event_name, schema_fault AS fault, toUInt8(0) AS quarantined, player_id, received_at,
    event_id
  FROM events
  WHERE schema_fault != '' AND ${whose}
  UNION ALL
  SELECT toString(event_name) AS event_name,
    trimBoth(concat(JSONExtractString(reason, 1, 'path'), ' ', JSONExtractString(reason, 1, 'message'))) AS fault,
    toUInt8(1) AS quarantined, player_id, received_at, event_id
  FROM quarantined_events
  WHERE ${whose} AND (${QUARANTINED_AS}, quarantine_number) NOT IN (
    SELECT quarantined_as, quarantine_number FROM quarantine_releases
    WHERE ${SCOPE} AND quarantined_at >= fromUnixTimestamp64Milli({since:Int64})
  )
)
GROUP BY event_name, fault, quarantined
ORDER BY events DESC, event_name, fault
LIMIT ${LOOKUP_LIMITS.schemaFaults}`;
}
