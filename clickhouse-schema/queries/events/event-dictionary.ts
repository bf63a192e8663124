import { EVENT_QUERY_LIMITS } from './limits.ts';
import type { QueryResult } from '../../query-result.ts';

/** Which events are wanted: all names, or one name with its properties. */
export interface DictionaryQuery {
  game: string;
  environment: string;
  eventName: string | undefined;
}

/** A name of events. Times are epoch milliseconds. */
export interface DictionaryEvent {
  eventName: string;
  events: number;
  firstSeenAt: number;
  lastSeenAt: number;
  /** Events by who made them. */
  senders: { client: number; server: number; service: number; import: number };
  /** Events with a fault against a schema that is not enforced. */
  schemaFaults: number;
  /** Of the newest events; `undefined`: not asked for. */
  properties: DictionaryProperty[] | undefined;
}

export interface DictionaryProperty {
  name: string;
  /** Share of the events that were read. */
  share: number;
  types: string[];
  /** JSON texts. */
  examples: string[];
}

export interface Dictionary {
  events: DictionaryEvent[];
  /** Whether more names occur than are shown. */
  more: boolean;
}

type RunQuery = <Row>(sql: string, parameters: Record<string, unknown>) => Promise<QueryResult<Row[]>>;

/** Reads the dictionary, the most frequent names first. */
export async function findDictionary(runQuery: RunQuery, query: DictionaryQuery): Promise<QueryResult<Dictionary>> {
  const { game, environment, eventName } = query;
  const scope = { game, environment };
  const name = eventName === undefined ? '' : 'AND event_name = {event:String}';
  const found = await runQuery<EventRow>(
    `SELECT event_name, events, toUnixTimestamp64Milli(first_seen_at) AS first_ms,
      toUnixTimestamp64Milli(last_seen_at) AS last_ms, from_client_keys, from_server_keys, from_service, from_imports,
      with_schema_faults
    FROM event_dictionary
    WHERE game_id = {game:String} AND environment = {environment:String} ${name}
    ORDER BY events DESC, event_name LIMIT {most:UInt32}`,
    {
      ...scope,
      most: EVENT_QUERY_LIMITS.dictionaryNames + 1,
      ...(eventName === undefined ? {} : { event: eventName }),
    },
  );
  if (found.kind === 'unavailable') return found;
  const properties = eventName === undefined ? undefined : await findProperties(runQuery, { ...scope, eventName });
  if (properties?.kind === 'unavailable') return properties;
  const events = found.value
    .slice(0, EVENT_QUERY_LIMITS.dictionaryNames)
    .map((row) => dictionaryEvent(row, properties?.value));
  return { kind: 'answered', value: { events, more: found.value.length > events.length } };
}

function findProperties(
  runQuery: RunQuery,
  { game, environment, eventName: event }: { game: string; environment: string; eventName: string },
): Promise<QueryResult<DictionaryProperty[]>> {
  return runQuery<DictionaryProperty>(
    `SELECT property AS name, share, types, examples
    FROM event_properties(game = {game:String}, environment = {environment:String}, event = {event:String},
      newest = {newest:UInt32})`,
    { game, environment, event, newest: EVENT_QUERY_LIMITS.dictionaryEvents },
  );
}

interface EventRow {
  event_name: string;
  events: string | number;
  first_ms: string | number;
  last_ms: string | number;
  from_client_keys: string | number;
  from_server_keys: string | number;
  from_service: string | number;
  from_imports: string | number;
  with_schema_faults: string | number;
}

function dictionaryEvent(row: EventRow, properties: DictionaryProperty[] | undefined): DictionaryEvent {
  return {
    eventName: row.event_name,
    events: Number(row.events),
    firstSeenAt: Number(row.first_ms),
    lastSeenAt: Number(row.last_ms),
    senders: {
      client: Number(row.from_client_keys),
      server: Number(row.from_server_keys),
      service: Number(row.from_service),
      import: Number(row.from_imports),
    },
    schemaFaults: Number(row.with_schema_faults),
    properties,
  };
}
