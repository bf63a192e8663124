import { type Analytics, createAnalytics } from '../../clickhouse-schema/queries/analytics.ts';
import { type EventQuery, findEvents } from '../../clickhouse-schema/queries/event-query.ts';
import { migrate } from '../../clickhouse-schema/migrations/migrate.ts';
import { openClient } from '../../clickhouse-schema/open-client.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { createLogger } from '../../src/kernel/logger.ts';
import type { Bench } from '../bench.ts';
import { BenchError } from '../bench-error.ts';
import { createHistogram, type Histogram, latencyOf } from '../measure/histogram.ts';
import type { Latency } from '../measure/latency.ts';
import { startLocalClickhouse } from '../service/local-clickhouse.ts';
import { type FilledTable, fillEvents, oneRow } from './fill-events.ts';
import { GAME, madeEvents, type MadeEvents } from './made-events.ts';
import type { QueriesOptions } from './queries-options.ts';
import { faultOf, type QueryKind, queryKinds, type SampleEvent } from './query-kinds.ts';
import type { QueryResult } from '../../clickhouse-schema/queries/query-result.ts';

type Client = ReturnType<typeof openClient>;

export interface QueriesFigures {
  table: FilledTable;
  /** Statements that cost as little as any can. */
  references: { name: string; latency: Latency }[];
  kinds: KindFigures[];
}

export interface KindFigures {
  name: string;
  latency: Latency;
  /** Means over queries asked for this: rows the engine read, and events of the page. */
  rowsRead: number;
  events: number;
}

const REQUEST_MS = 600_000;
/**
 * Queries of each kind that are asked before anything is measured, and those whose rows are counted: others than those that are
 * measured, as the engine remembers where a condition found nothing.
 */
const WARM_UP = 5;
const COUNTED = 20;

/** Fills a ClickHouse, and asks queries of every kind in turn, each beside the references. One at a time. */
export async function measureQueries(bench: Bench, options: QueriesOptions): Promise<QueriesFigures> {
  const { cleanup, signal, report } = bench;
  const address = await startLocalClickhouse(bench, options.folder);
  await migrate(address);
  const client = openClient(address, 'bench', REQUEST_MS);
  cleanup.add(() => client.close());
  const made = madeEvents(options, systemClock.wallMs());
  report(`filling in ${options.rows} events`);
  const table = await fillEvents(bench, client, made, options.rows);
  report(`filled in ${Math.round(table.fillSeconds)} s, merged in ${Math.round(table.settleSeconds)} s more; asking`);

  const logger = createLogger('warn', 'bench');
  const analytics = createAnalytics({ address, clock: systemClock, logger });
  cleanup.add(() => analytics.close());
  const { id } = await oneRow<{ id: string }>(client, `SELECT ${made.busiestPlayer} AS id`);
  const kinds = queryKinds(id);
  const samples = await sampleEvents(client, made, options);
  const references = referencesOf(client);
  const times = new Map<string, Histogram>([...references, ...kinds].map(({ name }) => [name, createHistogram()]));
  for (const [round, sample] of samples.slice(COUNTED).entries()) {
    signal.throwIfAborted();
    for (const reference of references) {
      const beganMs = performance.now();
      await reference.ask(sample);
      if (round >= WARM_UP) times.get(reference.name)?.record((performance.now() - beganMs) * 1000);
    }
    for (const kind of kinds) {
      const tookMs = await askOnce(analytics, kind, kind.query(sample));
      if (round >= WARM_UP) times.get(kind.name)?.record(tookMs * 1000);
    }
  }
  const latency = (name: string) => latencyOf(times.get(name) ?? createHistogram());
  const figures: KindFigures[] = [];
  for (const kind of kinds) {
    figures.push({
      name: kind.name,
      latency: latency(kind.name),
      ...(await countRead(client, kind, samples.slice(0, COUNTED))),
    });
  }
  return { table, references: references.map(({ name }) => ({ name, latency: latency(name) })), kinds: figures };
}

/** @returns milliseconds */
async function askOnce(analytics: Analytics, kind: QueryKind, query: EventQuery): Promise<number> {
  const beganMs = performance.now();
  const asked = await analytics.events(query);
  const tookMs = performance.now() - beganMs;
  if (asked.kind === 'unavailable') throw new BenchError(`${kind.name}: ClickHouse could not answer`);
  const fault = faultOf(kind, query, asked.value.events);
  if (fault !== undefined) throw new BenchError(`${kind.name}: ${fault}`);
  return tookMs;
}

interface Reference {
  name: string;
  ask: (of: SampleEvent) => Promise<unknown>;
}

/** A statement that reads nothing, and one row found by the whole primary key. */
function referencesOf(client: Client): Reference[] {
  const run = async (query: string, query_params: Record<string, unknown> = {}) =>
    (await client.query({ query, query_params, format: 'JSONEachRow' })).json();
  return [
    { name: 'SELECT 1', ask: () => run('SELECT 1') },
    {
      name: 'a row by its key',
      async ask({ eventName, receivedMs }) {
        const rows = await run(BY_KEY, { game: GAME, name: eventName, ms: receivedMs });
        if (rows.length === 0) throw new BenchError('an event that was filled in is not there');
      },
    },
  ];
}

const BY_KEY = `
SELECT event_id, properties FROM events
WHERE game_id = {game:String} AND environment = 'live' AND event_name = {name:String}
  AND received_at = fromUnixTimestamp64Milli({ms:Int64})
LIMIT 1`;

/** Events from all over the table, the same in every run of as many rows. */
async function sampleEvents(
  client: Client,
  made: MadeEvents,
  { rows, rounds }: QueriesOptions,
): Promise<SampleEvent[]> {
  const numbers = Array.from({ length: COUNTED + WARM_UP + rounds }, (_, turn) =>
    Math.floor(((turn * GOLDEN + 0.5) % 1) * rows),
  );
  const source = `(SELECT toUInt64(arrayJoin([${numbers.join(', ')}])) AS number)`;
  const query = `SELECT player_id, event_name, session_id, toFloat64(toUnixTimestamp64Milli(received_at)) AS ms FROM (${made.select(source)})`;
  const found = await (
    await client.query({ query, format: 'JSONEachRow' })
  ).json<{ player_id: string; event_name: string; session_id: string; ms: number }>();
  return found.map((row) => ({
    playerId: row.player_id,
    eventName: row.event_name,
    sessionId: row.session_id,
    receivedMs: row.ms,
  }));
}

/** Multiples of it fall evenly into the unit interval. */
const GOLDEN = 0.618_033_988_749_895;

/** What the engine says it read for some queries of a kind. */
async function countRead(client: Client, kind: QueryKind, samples: readonly SampleEvent[]) {
  let rowsRead = 0;
  let events = 0;
  const ask = async <Row>(query: string, query_params: Record<string, unknown>): Promise<QueryResult<Row[]>> => {
    const answer = await (await client.query({ query, query_params, format: 'JSON' })).json<Row>();
    rowsRead += answer.statistics?.rows_read ?? Number.NaN;
    return { kind: 'answered', value: answer.data };
  };
  for (const sample of samples) {
    const asked = await findEvents(ask, kind.query(sample));
    events += asked.kind === 'answered' ? asked.value.events.length : 0;
  }
  const of = samples.length;
  return { rowsRead: rowsRead / of, events: events / of };
}
