import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Analytics, createAnalytics } from '../../../clickhouse-schema/queries/analytics.ts';
import { createRowBatch } from '../../../clickhouse-schema/rows/row-batch.ts';
import { kpiQuery } from '../../../console/src/overview/kpi-query.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import type { Fact } from '../../../core/vocabulary/facts/facts.ts';
import { playerIdOf } from '../../../src/api/players/player-id.ts';
import { fileFormat } from '../../../src/cli/import/files/file-formats.ts';
import { lineContext } from '../../../src/cli/import/files/file-format.ts';
import { createHistoryBatch } from '../../../src/cli/import/send/history-batch.ts';
import { createClickhouseTarget } from '../../../streams/sinks/clickhouse/block-target.ts';
import { createPlayerDaysTarget } from '../../../streams/sinks/clickhouse/player-days/target.ts';
import { aCommit } from '../../../streams/sinks/testing-commits.ts';
import { createDecidingBackend, type DecidingBackend } from '../../support/in-memory/deciding-backend.ts';
import { type Gateway, startGateway } from '../../support/in-memory/http-gateway.ts';
import { silentLogger } from '../../support/in-memory/silent-logger.ts';
import { rowsOf, runSql, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { startOfToday } from '../../support/whole-day.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { buildDays } from '../../support/wire/built-days.ts';
import { startWithTables } from '../../support/wire/made-tables.ts';

/*
 * Active players, new players and sessions of today, on every door that gives them: views, queries, the same as SQL,
 * and the queries of the Overview. Players come by HTTP and by import.
 */

const DAY_MS = 86_400_000;
const TODAY = await startOfToday(180_000);
const day = new Date(TODAY).toISOString().slice(0, 10);
const range = { from: new Date(TODAY).toISOString(), to: new Date(TODAY + DAY_MS).toISOString() };

let clickhouse: TestClickhouse;
let analytics: Analytics;
let backend: DecidingBackend;
let gateway: Gateway;
let server: string;
let client: string;

beforeAll(async () => {
  clickhouse = await startWithTables();
  analytics = createAnalytics({ address: clickhouse.address, clock: systemClock, logger: silentLogger });
  backend = createDecidingBackend(systemClock);
  gateway = await startGateway({ analytics, backend });
  server = await gateway.key();
  client = await gateway.key({ kind: 'client' });
}, 120_000);
afterAll(async () => {
  await gateway.close();
  await analytics.close();
  await clickhouse.close();
});

async function post(key: string, path: string, body: object): Promise<Record<string, unknown>> {
  const response = await gateway.call(key, 'POST', path, body);
  const { data, error } = await bodyOf(response);
  expect([path, response.status < 300, error?.details]).toEqual([path, true, undefined]);
  return data;
}
const ask = (body: object) => post(server, '/v1/analytics/queries', { ...range, ...body });
const read = <R extends object>(text: string) => rowsOf<R>(clickhouse, text);

const idOf = (name: string): string => playerIdOf({ namespace: gateway.namespace('demo'), environment: 'live' }, name);
const register = (key: string, name: string) =>
  post(key, '/v1/players/players', { external_id: name, attributes: { country: 'SE' } });

/** A session without any event. */
async function play(name: string): Promise<void> {
  const { session_id } = await post(client, '/v1/bff/game/init', { player_id: idOf(name) });
  const end = { player_id: idOf(name), session_id, session_duration_seconds: 60, events: [] };
  await post(client, '/v1/bff/game/end-session', end);
}

let files = 0;

async function importPlayer(name: string, times: Record<string, string>): Promise<void> {
  const format = fileFormat('native', 'players');
  if (format === undefined) throw new Error('there is no such format');
  const fields = { external_id: name, attributes: { country: 'FI' }, ...times };
  const { event: _, ...line } = format.read(fields, lineContext({ nowMs: Date.now() }));
  const batch = createHistoryBatch();
  batch.add({ ...line, line: 1, playerId: idOf(name) });
  files += 1;
  const origin = { game: 'demo', environment: 'live', receivedAt: Date.now() } as const;
  const reply = await backend.send(origin, idOf(name), batch.close(`file-${files}`, 0));
  expect(reply).toMatchObject({ imported: 1, rejected: [] });
}

let written = 0;
let sequence = 0;

/** Writes what was decided, and the players as they are now, as the service does. */
async function store(): Promise<void> {
  const facts: Fact[] = backend.facts.slice(written);
  written = backend.facts.length;
  for (const id of new Set(facts.map((fact) => (fact.kind === 'SnapshotMark' ? '' : fact.entityId)))) {
    const state = backend.state(id);
    if (state?.kind !== 'player') continue;
    facts.push({ kind: 'EntitySnapshot', entityId: id, game: 'demo', environment: 'live', at: Date.now(), state });
  }
  sequence += 1;
  const batch = createRowBatch();
  batch.add(aCommit(facts), { stream: '2026-01-01T00:00:00Z', sequence });
  const target = createClickhouseTarget(clickhouse.address);
  for (const { table, bytes } of batch.blocks()) await target.insert(table, bytes, `${table}/${sequence}`);
  await target.close();
  const days = createPlayerDaysTarget(clickhouse.address);
  await buildDays(days, sequence - 1, { createdMs: 1, sequence });
  await days.close();
}

interface Figures {
  active: number;
  new: number;
  sessions: number;
}
type Figure = keyof Figures;

interface Door {
  name: string;
  gives: readonly Figure[];
  read: () => Promise<readonly number[]>;
}

/** A statement whose one row has the figures, each in a column of its name. */
const statement = (name: string, columns: Partial<Record<Figure, string>>, rest: string): Door => ({
  name,
  gives: FIGURES.filter((figure) => columns[figure] !== undefined),
  async read() {
    const figures = Object.values(columns).map((column, n) => `toFloat64(${column}) AS f${n}`);
    const rows = await read<Record<string, number>>(`SELECT ${figures.join(', ')} FROM ${rest}`);
    return Object.values(columns).map((_, n) => rows[0]?.[`f${n}`] ?? 0);
  },
});
const FIGURES = ['active', 'new', 'sessions'] as const;
const METRIC = { active: 'active_players', new: 'new_players', sessions: 'sessions' } as const;
const ofDay = `game_id = 'demo' AND day = '${day}'`;
const ofCohort = `game_id = 'demo' AND cohort_day = '${day}'`;

interface Answer {
  series: { points: { value: number }[] }[];
  rows: { key: string; value: number }[];
  cohorts: { players: number }[];
}
const answered = async (body: object): Promise<Answer> => JSON.parse(JSON.stringify(await ask(body)));
const trendOf = async (metric: string, more: object = {}): Promise<number> =>
  (await answered({ kind: 'trend', metric, ...more })).series[0]?.points.at(-1)?.value ?? Number.NaN;
const both = (of: (metric: (typeof METRIC)[Figure]) => Promise<number>): Pick<Door, 'gives' | 'read'> => ({
  gives: FIGURES,
  read: () => Promise.all(FIGURES.map((figure) => of(METRIC[figure]))),
});
const sizes = async (kind: string, more: object = {}): Promise<number[]> => {
  const { cohorts } = await answered({ kind, days: [1], ...more });
  return [cohorts.reduce((sum, { players }) => sum + players, 0)];
};

const DOORS: readonly Door[] = [
  { name: 'trend by day', ...both((metric) => trendOf(metric)) },
  { name: 'trend by week', ...both((metric) => trendOf(metric, { interval: 'week' })) },
  { name: 'trend by month', ...both((metric) => trendOf(metric, { interval: 'month' })) },
  {
    name: 'tiles of the Overview',
    ...both((metric) => trendOf(metric, { ...kpiQuery(metric), from: undefined, to: undefined })),
  },
  {
    name: 'trend as SQL',
    ...both(async (metric) => {
      const { sql } = await post(server, '/v1/analytics/queries/sql', { ...range, kind: 'trend', metric });
      const found = await runSql(clickhouse, String(sql), { as: 'reader', search: { default_format: 'JSONEachRow' } });
      expect(found.status, found.text).toBe(200);
      return Number(JSON.parse(found.text.trim().split('\n').at(-1) ?? '{}').value);
    }),
  },
  ...(['country', 'platform', 'attribute:country'] as const).map((by) => ({
    name: `breakdown by ${by}`,
    ...both(async (metric) => {
      const { rows } = await answered({ kind: 'breakdown', metric, by });
      return rows.reduce((sum, { value }) => sum + value, 0);
    }),
  })),
  ...(['wau', 'mau'] as const).map((metric) => ({
    name: `trend of ${metric}`,
    gives: ['active'] as const,
    read: async () => [await trendOf(metric)],
  })),
  statement('kpis_daily', { active: 'dau', new: 'new_players', sessions: 'sessions' }, `kpis_daily WHERE ${ofDay}`),
  statement('kpis_daily, windows', { active: 'least(wau, mau)' }, `kpis_daily WHERE ${ofDay}`),
  statement('sessions_daily', { active: 'players', sessions: 'sessions' }, `sessions_daily WHERE ${ofDay}`),
  statement('active_players_daily', { active: 'sum(players)' }, `active_players_daily WHERE ${ofDay}`),
  statement(
    'player_days',
    { active: 'count()', new: 'countIf(cohort_day = day)', sessions: 'sum(sessions)' },
    `live_player_days WHERE ${ofDay}`,
  ),
  statement(
    'live_sessions',
    { active: 'uniqExact(player_id)', sessions: 'count()' },
    "live_sessions WHERE game_id = 'demo'",
  ),
  ...['', '_24h_by_cohort', '_by_country', '_by_platform', '_by_app_version'].map((view) =>
    statement(
      `retention${view === '' ? '_by_cohort' : view}`,
      { new: 'sum(players)' },
      `retention${view === '' ? '_by_cohort' : view} WHERE ${ofCohort}`,
    ),
  ),
  statement('ltv_by_cohort', { new: 'sum(players)' }, `ltv_by_cohort WHERE ${ofCohort}`),
  ...(['retention', 'ltv'] as const).map((kind) => ({
    name: `query ${kind}`,
    gives: ['new'] as const,
    read: () => sizes(kind),
  })),
  { name: 'query retention by country', gives: ['new'], read: () => sizes('retention', { by: 'country' }) },
  statement(
    'players, by their sessions',
    { active: 'countIf(session_count > 0)', sessions: 'sum(session_count)' },
    "live_players WHERE game_id = 'demo'",
  ),
  statement(
    'players, by when they were last seen',
    { active: `countIf(toDate(last_seen_at) = '${day}')` },
    "live_players WHERE game_id = 'demo'",
  ),
];

const expectDoors = async (wanted: Figures): Promise<void> => {
  for (const door of DOORS) {
    const found = await door.read();
    expect([door.name, ...found]).toEqual([door.name, ...door.gives.map((figure) => wanted[figure])]);
  }
};

describe('every door', { timeout: 120_000 }, () => {
  it('counts five players with a session and no event', async () => {
    for (let n = 1; n <= 5; n++) {
      await register(client, `p${n}`);
      await play(`p${n}`);
    }
    await store();
    expect(backend.facts.map(({ kind }) => kind)).not.toContain('EventTracked');
    await expectDoors({ active: 5, new: 5, sessions: 5 });
  });

  it('counts nobody whom only an import knows', async () => {
    const ago = (days: number) => new Date(TODAY - days * DAY_MS).toISOString();
    await importPlayer('unseen', {});
    await importPlayer('veteran', { first_seen_at: ago(300) });
    await importPlayer('lapsed', { last_seen_at: ago(40) });
    await importPlayer('recent', { first_seen_at: ago(3) });
    await importPlayer('both', { first_seen_at: ago(300), last_seen_at: ago(9) });
    await importPlayer('p5', { first_seen_at: ago(300) });
    await store();
    // The fifth was here long before today.
    await expectDoors({ active: 5, new: 4, sessions: 5 });
    const stages = await read<{ stage: string; names: string[] }>(
      `SELECT lifecycle_stage AS stage, arraySort(groupArray(external_id)) AS names FROM live_players
       WHERE game_id = 'demo' GROUP BY stage ORDER BY stage`,
    );
    expect(stages).toEqual([
      // It played today, and is not new.
      { stage: 'active', names: ['p5'] },
      { stage: 'at_risk', names: ['both'] },
      { stage: 'churned', names: ['lapsed', 'veteran'] },
      { stage: 'new', names: ['p1', 'p2', 'p3', 'p4', 'recent', 'unseen'] },
    ]);
  });

  it('counts imported players from when they play, and as new only if nobody saw them before', async () => {
    for (const name of ['unseen', 'veteran', 'lapsed', 'recent', 'both']) await play(name);
    await store();
    await expectDoors({ active: 10, new: 5, sessions: 10 });
  });

  it('has the country of the registration or of the import on a day without events', async () => {
    const found = (rows: readonly { country: string; players: string }[]) =>
      Object.fromEntries(rows.map(({ country, players }) => [country, Number(players)]));
    const of = async (view: string, where: string) =>
      found(await read(`SELECT country, players FROM ${view} WHERE ${where} ORDER BY country`));
    expect(await of('active_players_daily', ofDay)).toEqual({ FI: 5, SE: 5 });
    expect(await of('retention_by_country', ofCohort)).toEqual({ FI: 1, SE: 4 });
    for (const [metric, wanted] of [
      ['active_players', { FI: 5, SE: 5 }],
      ['sessions', { FI: 5, SE: 5 }],
      ['new_players', { FI: 1, SE: 4 }],
    ] as const) {
      const { rows } = await answered({ kind: 'breakdown', metric, by: 'country' });
      expect([metric, Object.fromEntries(rows.map(({ key, value }) => [key, value]))]).toEqual([metric, wanted]);
    }
  });
});
