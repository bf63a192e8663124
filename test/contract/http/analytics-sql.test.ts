import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Analytics, createAnalytics } from '../../../clickhouse-schema/queries/analytics.ts';
import type { QuestionRow } from '../../../clickhouse-schema/queries/questions/statement-of.ts';
import { createRowBatch } from '../../../clickhouse-schema/rows/row-batch.ts';
import { answerText } from '../../../src/api/analytics/query-answers.ts';
import type { QueryBody } from '../../../src/api/analytics/query-fields.ts';
import { questionOf } from '../../../src/api/analytics/query-question.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { ANALYTICS_LIMITS } from '../../../src/api/analytics/limits.ts';
import { createClickhouseTarget } from '../../../streams/sinks/clickhouse/block-target.ts';
import { aCommit, aTrackedEvent } from '../../../streams/sinks/testing-commits.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { runSql, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { startWithTables } from '../../support/wire/made-tables.ts';
import { signedInHeaders } from '../../support/browser/console-person.ts';
import { type Gateway, startGateway } from '../../support/in-memory/http-gateway.ts';
import { silentLogger } from '../../support/in-memory/silent-logger.ts';
import { startOfToday } from '../../support/whole-day.ts';
import { madeEvents } from './made-answers.ts';

/* The SQL of analytics queries, lifetime value, new players and saved queries. */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const TODAY_MS = await startOfToday();
const FROM_MS = TODAY_MS - 10 * DAY_MS;
const range = { from: new Date(FROM_MS).toISOString(), to: new Date(TODAY_MS + DAY_MS).toISOString() };
const HOSTILE = [`') OR 1=1 --`, `\\'; DROP TABLE events; --`, '{p0:String}', 'ünïcödé 🎮', 'tab\tline\n\r%s'];

let clickhouse: TestClickhouse;
let analytics: Analytics;
let gateway: Gateway;
let key: string;

beforeAll(async () => {
  clickhouse = await startWithTables();
  analytics = createAnalytics({ address: clickhouse.address, clock: systemClock, logger: silentLogger });
  gateway = await startGateway({ analytics });
  key = await gateway.key();
  const names = ['open', 'view', 'buy', ...HOSTILE];
  const events = madeEvents({ fromMs: FROM_MS, toMs: TODAY_MS, names, seed: 11 });
  const target = createClickhouseTarget(clickhouse.address);
  const batch = createRowBatch();
  const facts = events.map((event, n) => aTrackedEvent({ ...event, eventId: `e${n}`, timestamp: event.at }));
  batch.add(aCommit(facts), { stream: '2026-01-01T00:00:00Z', sequence: 1 });
  for (const [n, { table, bytes }] of batch.blocks().entries()) await target.insert(table, bytes, `${table}/${n}`);
  await target.close();
  await insertDays();
});
afterAll(async () => {
  await gateway.close();
  await analytics.close();
  await clickhouse.close();
});

/** Three first days: two players eight days ago, one yesterday, one today. */
const DAYS = [
  { player: 1, cohort: 8, day: 8, revenue: 5, first: 8, country: 'DE' },
  { player: 1, cohort: 8, day: 7, revenue: 2.5, first: 8, country: 'DE' },
  { player: 1, cohort: 8, day: 1, revenue: 10, first: 8, country: 'DE' },
  { player: 2, cohort: 8, day: 8, revenue: 0, first: 7, country: 'FR' },
  { player: 2, cohort: 8, day: 7, revenue: 1, first: 7, country: 'FR' },
  { player: 3, cohort: 1, day: 1, revenue: 0, first: undefined, country: 'DE' },
  { player: 4, cohort: 0, day: 0, revenue: 3, first: 0, country: 'DE' },
] as const;

async function insertDays(): Promise<void> {
  const date = (ago: number): string => new Date(TODAY_MS - ago * DAY_MS).toISOString().slice(0, 10);
  const rows = DAYS.map(({ player, cohort, day, revenue, first, country }) => ({
    game_id: 'demo',
    environment: 'live',
    player_id: `00000000-0000-4000-8000-00000000000${player}`,
    day: date(day),
    gross_revenue: revenue,
    country,
    cohort_day: date(cohort),
    first_day: date(cohort),
    cohort_at: `${date(cohort)} 00:00:01.000`,
    cohort_country: country,
    first_purchase_day: first === undefined ? null : date(first),
  }));
  const body = rows.map((row) => JSON.stringify(row)).join('\n');
  const inserted = await runSql(
    clickhouse,
    `INSERT INTO player_days (${Object.keys(rows[0] ?? {}).join(', ')}) FORMAT JSONEachRow`,
    { body },
  );
  expect(inserted.text).toBe('');
}

async function post(path: string, body: object, asKey = key) {
  const response = await gateway.call(asKey, 'POST', path, body);
  return { status: response.status, ...(await bodyOf(response)) };
}

const where = [{ field: 'property:mode', in: ['', ...HOSTILE] }];
const QUERIES: readonly QueryBody[] = [
  { kind: 'trend', metric: 'events', interval: 'hour', ...range },
  { kind: 'trend', metric: 'players', event_names: ['open', ...HOSTILE], by: 'country', limit: 2, ...range },
  { kind: 'trend', metric: 'sum', property: 'deep.level', interval: 'week', where, ...range },
  { kind: 'trend', metric: 'new_players', ...range },
  { kind: 'trend', metric: 'revenue', by: 'product_id', ...range },
  { kind: 'trend', metric: 'payers', ...range },
  { kind: 'breakdown', metric: 'players', by: 'property:deep.level', limit: 5, ...range },
  { kind: 'breakdown', metric: 'new_players', by: 'country', ...range },
  { kind: 'retention', days: [1, 7, 30], ...range },
  { kind: 'retention', by: 'country', ...range },
  { kind: 'ltv', ...range },
  { kind: 'ltv', by: 'country', days: [0, 7], limit: 1, ...range },
  { kind: 'funnel', steps: [{ event_name: 'open' }, { event_name: HOSTILE[1] ?? '' }], by: 'country', ...range },
  { kind: 'funnel', window_seconds: 60, steps: [{ event_name: 'open', where }, { event_name: 'buy' }], ...range },
  { kind: 'paths', event_name: 'open', limit: 7, ...range },
];

describe('the SQL of a query', () => {
  it.each(QUERIES.map((query) => [JSON.stringify(query).slice(0, 90), query] as const))(
    'runs for an analyst and gives the same numbers: %s',
    async (_, query) => {
      const { data } = await post('/v1/analytics/queries', query);
      const said = await post('/v1/analytics/queries/sql', query);
      const sql = String(said.data['sql']);
      const ran = await runSql(clickhouse, sql, { as: 'reader', search: { default_format: 'JSONEachRow' } });
      expect(ran.status, ran.text).toBe(200);
      const lines = ran.text.split('\n').filter((line) => line !== '');
      const plain = lines.map((line): QuestionRow => JSON.parse(line));
      const rows = query.kind === 'trend' ? seriesOf(plain) : plain;
      const asked = questionOf(query, { game: 'demo', environment: 'live', zone: 'UTC' }, systemClock.wallMs());
      if (asked.kind === 'failure') throw new Error(asked.message);
      expect(JSON.parse(answerText(asked.question, rows, systemClock.wallMs()))).toEqual(data);
    },
  );

  it('names the faults of the query, as the query itself does', async () => {
    const said = await post('/v1/analytics/queries/sql', { kind: 'funnel' });
    expect(said.status).toBe(400);
    expect(said.error).toEqual((await post('/v1/analytics/queries', { kind: 'funnel' })).error);
  });
});

describe('lifetime value', () => {
  it('adds up revenue to each day that is over, and leaves out the others', async () => {
    const { data } = await post('/v1/analytics/queries', { kind: 'ltv', days: [0, 1, 7, 8], ...range });
    const day = (ago: number) => new Date(TODAY_MS - ago * DAY_MS).toISOString().slice(0, 10);
    const value = (n: number, revenue: number | null, perPlayer: number | null) => ({
      day: n,
      revenue,
      per_player: perPlayer,
    });
    expect(data['cohorts']).toEqual([
      {
        key: null,
        day: day(8),
        players: 2,
        payers: 2,
        values: [value(0, 5, 2.5), value(1, 8.5, 4.25), value(7, 18.5, 9.25), value(8, null, null)],
      },
      {
        key: null,
        day: day(1),
        players: 1,
        payers: 0,
        values: [value(0, 0, 0), ...[1, 7, 8].map((n) => value(n, null, null))],
      },
      { key: null, day: day(0), players: 1, payers: 1, values: [0, 1, 7, 8].map((n) => value(n, null, null)) },
    ]);
  });

  it('is of the view ltv_by_cohort', async () => {
    const { data } = await post('/v1/analytics/queries', { kind: 'ltv', days: [0, 1, 7], ...range });
    const read = await runSql(clickhouse, 'SELECT d0, d1, d7 FROM ltv_by_cohort ORDER BY cohort_day', {
      as: 'reader',
      search: { default_format: 'JSONCompactEachRow' },
    });
    const cohorts: { values: { per_player: number | null }[] }[] = JSON.parse(JSON.stringify(data['cohorts']));
    const own = cohorts.map(({ values }) => values.map((each) => each.per_player));
    const wanted: unknown[] = read.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(own).toEqual(wanted);
  });
});

describe('new players', () => {
  it('count by when they were first seen', async () => {
    const { data } = await post('/v1/analytics/queries', { kind: 'trend', metric: 'new_players', ...range });
    const series: { points: { value: number }[] }[] = JSON.parse(JSON.stringify(data['series']));
    expect(series[0]?.points.map(({ value }) => value)).toEqual([0, 0, 2, 0, 0, 0, 0, 0, 0, 1, 1]);
    const times = (from: number, to: number) => ({
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
    });
    const start = TODAY_MS - DAY_MS;
    const hours = { interval: 'hour', ...times(start - 2 * HOUR_MS, start + 3 * HOUR_MS) };
    const byHour = await post('/v1/analytics/queries', { kind: 'trend', metric: 'new_players', ...hours });
    expect(byHour.data['series']).toMatchObject([{ points: [0, 0, 1, 0, 0].map((value) => ({ value })) }]);
    // Half a second, before the player was seen at 00:00:01, is the whole day; a breakdown has no intervals.
    const early = times(start, start + 500);
    const byDay = await post('/v1/analytics/queries', { kind: 'trend', metric: 'new_players', ...early });
    expect(byDay.data).toMatchObject({ ...times(start, TODAY_MS), series: [{ points: [{ value: 1 }] }] });
    const breakdown = { kind: 'breakdown', metric: 'new_players', by: 'country' };
    expect((await post('/v1/analytics/queries', { ...breakdown, ...early })).data['rows']).toEqual([]);
    const later = times(start, start + 1_500);
    expect((await post('/v1/analytics/queries', { ...breakdown, ...later })).data['rows']).toMatchObject([
      { value: 1 },
    ]);
  });
});

describe('saved queries', () => {
  const PATH = '/v1/analytics/saved-queries';
  const query = { kind: 'trend', metric: 'players', by: 'country' };

  it('are created, listed, changed against their version, and deleted', async () => {
    const made = await post(PATH, { key: 'levels', query, range_days: 7 });
    expect(made).toMatchObject({
      status: 201,
      data: { key: 'levels', name: 'levels', query, range_days: 7, version: 1 },
    });
    expect((await post(PATH, { key: 'levels', query })).status).toBe(409);
    const listed = await bodyOf(await gateway.call(key, 'GET', PATH));
    expect(listed.data['saved_queries']).toMatchObject([{ key: 'levels' }]);
    const put = (version: string) =>
      gateway.call(key, 'PUT', `${PATH}/levels`, { name: 'Levels', query }, { 'If-Match': version });
    expect((await put('"7"')).status).toBe(412);
    const changed = await put('"1"');
    expect(changed.status).toBe(200);
    expect((await bodyOf(changed)).data).toMatchObject({ name: 'Levels', range_days: null, version: 2 });
    expect((await gateway.call(key, 'DELETE', `${PATH}/levels`)).status).toBe(200);
    expect((await gateway.call(key, 'GET', `${PATH}/levels`)).status).toBe(404);
  });

  it('must be answerable, and are bounded in number', async () => {
    const bad = await post(PATH, { key: 'bad', query: { kind: 'trend', metric: 'sum' } });
    expect(bad.status).toBe(400);
    expect(JSON.stringify(bad.error)).toContain('/query/property');
    for (let n = 0; n < ANALYTICS_LIMITS.savedQueries; n += 1)
      expect((await post(PATH, { key: `q${n}`, query })).status).toBe(201);
    const over = await post(PATH, { key: 'one-more', query });
    expect(over.status).toBe(409);
    expect(JSON.stringify(over.error)).toContain(String(ANALYTICS_LIMITS.savedQueries));
  });

  it('are seen by viewers and changed by analysts', async () => {
    const grant = { game: 'demo', environment: 'live' } as const;
    const viewer = await signedInHeaders(gateway, { ...grant, role: 'viewer' });
    const analyst = await signedInHeaders(gateway, { ...grant, role: 'analyst' });
    const change = (headers: Record<string, string>) =>
      gateway.call(undefined, 'PUT', `${PATH}/q0`, { query, version: 1 }, headers);
    expect((await gateway.call(undefined, 'GET', PATH, undefined, viewer)).status).toBe(200);
    expect((await change(viewer)).status).toBe(403);
    expect((await change(analyst)).status).toBe(200);
  });
});

/** The rows of a trend as the service asks for them: one for each series. */
function seriesOf(rows: readonly QuestionRow[]): QuestionRow[] {
  return [...Map.groupBy(rows, (row) => row['key'])].map(([key, own]) => ({
    key,
    points: own.map((row) => [row['at'], row['value']]),
    size: own.reduce((sum, row) => sum + Number(row['size'] ?? 0), 0),
  }));
}
