import { migrate } from '../clickhouse-schema/migrations/migrate.ts';
import { openClient } from '../clickhouse-schema/open-client.ts';
import { type Analytics, createAnalytics } from '../clickhouse-schema/queries/analytics.ts';
import { type EventQuery, findEvents } from '../clickhouse-schema/queries/events/event-query.ts';
import type { QueryResult } from '../clickhouse-schema/query-result.ts';
import { systemClock } from '../core/kernel/clock.ts';
import { createLogger } from '../core/kernel/logger.ts';
import { BenchError } from './lib/bench.ts';
import { count, defineCase } from './lib/case.ts';
import { startLocalClickhouse } from './lib/service/clickhouse.ts';
import { type FilledTable, fillEvents, oneRow } from './lib/service/samples/fill-events.ts';
import { createHistogram, type Histogram, latencyOf } from './lib/figures/histogram.ts';
import { GAME, madeEvents, type MadeEvents, type TableSize } from './lib/load/traffic/made-events.ts';
import { faultOf, type QueriedEvent, type QueryKind, queryKinds } from './lib/figures/query-kinds.ts';
import { times, type Latency } from './lib/figures/statistics.ts';
import { figure, latencyRow, section, table, tableOf } from './lib/report/table.ts';

type Client = ReturnType<typeof openClient>;

interface QueriesFigures {
  table: FilledTable;
  /** Statements that cost as little as any can. */
  references: { name: string; latency: Latency }[];
  kinds: KindFigures[];
}

interface KindFigures {
  name: string;
  latency: Latency;
  /** Means over other queries of the kind: rows the engine read, and events of the page. */
  rowsRead: number;
  events: number;
}

const REQUEST_MS = 600_000;
/**
 * Queries of each kind before anything is measured, and those whose rows are counted. They are other queries than the
 * measured ones, as the engine remembers where a condition found nothing.
 */
const WARM_UP = 5;
const COUNTED = 20;

export const queries = defineCase({
  name: 'queries',
  description:
    'Fill a ClickHouse with events and measure pages of them, with the queries of the endpoint, beside SELECT 1 and a ' +
    'row by its key.',
  options: {
    rows: count('--rows <n>', 'events in the table', 10_000_000),
    months: count('--months <n>', 'months they are spread over', 6),
    players: count('--players <n>', 'their players', 100_000),
    rounds: count('--rounds <n>', 'queries of each kind', 200),
  },
  async run(bench, settings, save) {
    const { cleanup, signal, report } = bench;
    const address = await startLocalClickhouse(bench, settings.folder);
    await migrate(address);
    const client = openClient(address, 'bench', REQUEST_MS);
    cleanup.add(() => client.close());
    const made = madeEvents(settings, systemClock.wallMs());
    report(`filling in ${settings.rows} events`);
    const filled = await fillEvents(bench, client, made, settings.rows);
    report(`filled in ${Math.round(filled.fillSeconds)} s, merged in ${Math.round(filled.settleSeconds)} s more`);

    const analytics = createAnalytics({ address, clock: systemClock, logger: createLogger('warn', 'bench') });
    cleanup.add(() => analytics.close());
    const { id } = await oneRow<{ id: string }>(client, `SELECT ${made.busiestPlayer} AS id`);
    const kinds = queryKinds(id);
    const samples = await sampleEvents(client, made, settings);
    const references = referencesOf(client);
    const histograms = new Map<string, Histogram>(
      [...references, ...kinds].map(({ name }) => [name, createHistogram()]),
    );
    // Every kind in turn, each beside the references, one query at a time.
    for (const [round, sample] of samples.slice(COUNTED).entries()) {
      signal.throwIfAborted();
      const record = (name: string, tookMs: number): void => {
        if (round >= WARM_UP) histograms.get(name)?.record(tookMs * 1000);
      };
      for (const reference of references) {
        const beganMs = performance.now();
        await reference.query(sample);
        record(reference.name, performance.now() - beganMs);
      }
      for (const kind of kinds) record(kind.name, await queryOnce(analytics, kind, kind.query(sample)));
    }
    const latency = (name: string) => latencyOf(histograms.get(name) ?? createHistogram());
    const figures: QueriesFigures = {
      table: filled,
      references: references.map(({ name }) => ({ name, latency: latency(name) })),
      kinds: [],
    };
    for (const kind of kinds) {
      const read = await countRead(client, kind, samples.slice(0, COUNTED));
      figures.kinds.push({ name: kind.name, latency: latency(kind.name), ...read });
    }
    save({ results: { figures }, tables: queryTables(figures) });
  },
});

/** @returns milliseconds */
async function queryOnce(analytics: Analytics, kind: QueryKind, query: EventQuery): Promise<number> {
  const beganMs = performance.now();
  const result = await analytics.events(query);
  const tookMs = performance.now() - beganMs;
  if (result.kind === 'unavailable') throw new BenchError(`${kind.name}: ClickHouse could not answer`);
  const fault = faultOf(kind, query, result.value.events);
  if (fault !== undefined) throw new BenchError(`${kind.name}: ${fault}`);
  return tookMs;
}

interface Reference {
  name: string;
  query: (of: QueriedEvent) => Promise<unknown>;
}

/** A statement that reads nothing, and one row found by the whole primary key. */
function referencesOf(client: Client): Reference[] {
  const run = async (query: string, query_params: Record<string, unknown> = {}) =>
    (await client.query({ query, query_params, format: 'JSONEachRow' })).json();
  return [
    { name: 'SELECT 1', query: () => run('SELECT 1') },
    {
      name: 'a row by its key',
      async query({ eventName, receivedMs }) {
        const rows = await run(BY_KEY, { game: GAME, name: eventName, ms: receivedMs });
        if (rows.length === 0) throw new BenchError('an event that was filled in is missing');
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
  { rows, rounds }: TableSize & { rounds: number },
): Promise<QueriedEvent[]> {
  const numbers = times(COUNTED + WARM_UP + rounds, (turn) => Math.floor(((turn * GOLDEN + 0.5) % 1) * rows));
  const source = `(SELECT toUInt64(arrayJoin([${numbers.join(', ')}])) AS number)`;
  const columns = 'player_id, event_name, session_id, toFloat64(toUnixTimestamp64Milli(received_at)) AS ms';
  const query = `SELECT ${columns} FROM (${made.select(source)})`;
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

/** Rows that the engine read for some queries of a kind. */
async function countRead(client: Client, kind: QueryKind, samples: readonly QueriedEvent[]) {
  let rowsRead = 0;
  let events = 0;
  const runQuery = async <Row>(query: string, query_params: Record<string, unknown>): Promise<QueryResult<Row[]>> => {
    const answer = await (await client.query({ query, query_params, format: 'JSON' })).json<Row>();
    rowsRead += answer.statistics?.rows_read ?? Number.NaN;
    return { kind: 'answered', value: answer.data };
  };
  for (const sample of samples) {
    const result = await findEvents(runQuery, kind.query(sample));
    events += result.kind === 'answered' ? result.value.events.length : 0;
  }
  const of = samples.length;
  return { rowsRead: rowsRead / of, events: events / of };
}

function queryTables({ table: filled, references, kinds }: QueriesFigures): string {
  const mib = (bytes: number) => `${figure(bytes / 2 ** 20)} MiB`;
  const latency = (of: { name: string; latency: Latency }) => latencyRow(of.name, of.latency, [0.5, 0.95, 0.99]);
  return [
    section(
      'The table',
      tableOf([filled], {
        rows: ({ rows }) => figure(rows),
        parts: ({ parts }) => parts,
        'on disk': ({ sizeBytes }) => mib(sizeBytes),
        'of it properties': ({ propertiesBytes }) => mib(propertiesBytes),
        'of it projections': ({ projectionBytes }) => mib(projectionBytes),
        filled: ({ fillSeconds }) => `${figure(fillSeconds)} s`,
        'then merged': ({ settleSeconds }) => `${figure(settleSeconds)} s`,
      }),
    ),
    section(
      'One query at a time, ms (the kinds in turn; rows read and events: means of a page)',
      table(
        ['', 'p50', 'p95', 'p99', 'max', 'rows read', 'events'],
        [...references.map(latency), ...kinds.map((kind) => [...latency(kind), kind.rowsRead, kind.events])],
      ),
    ),
  ].join('\n');
}
