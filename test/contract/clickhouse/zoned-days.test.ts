import { afterAll, beforeAll, expect, it } from 'vitest';
import { readBuiltTo } from '../../../clickhouse-schema/queries/questions/built-to.ts';
import { openClient } from '../../../clickhouse-schema/open-client.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { createPlayerDaysBuilder } from '../../../streams/sinks/clickhouse/player-days/builder.ts';
import { createPlayerDaysTarget } from '../../../streams/sinks/clickhouse/player-days/target.ts';
import { silentLogger } from '../../support/in-memory/silent-logger.ts';
import { execSql, rowsOf, runSql, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { startWithTables } from '../../support/wire/made-tables.ts';
import { until } from '../../support/until.ts';

/* The days of games in several time zones, by the builder and in the views, on the real engine. */

let clickhouse: TestClickhouse;
beforeAll(async () => {
  clickhouse = await startWithTables();
});
afterAll(() => clickhouse.close());

const CREATED = 1_700_000_000_000;
const HALF_HOUR_MS = 1_800_000;
const BERLIN = 'Europe/Berlin';
const SAO_PAULO = 'America/Sao_Paulo';

/** A session, an event and a purchase of one player every half hour, over a change of Berlin's clocks. */
const times = Array.from(
  { length: 4 * 48 },
  (_, n) => Date.parse('2026-03-27T12:00:00Z') + n * HALF_HOUR_MS + (n % 7) * 1_000,
);
const games = ["o'clock", 'berlin', 'utc'];

async function insert(): Promise<number> {
  let sequence = 0;
  const rowsIn = (columns: (at: number) => object) =>
    games.flatMap((game_id) =>
      times.map((at) => {
        sequence += 1;
        const player_id = '00000000-0000-5000-8000-000000000001';
        const common = { game_id, environment: 'live', player_id, received_at: at, facts_sequence: sequence };
        return JSON.stringify({ ...common, ...columns(at) });
      }),
    );
  for (const [table, columns] of [
    ['events', (at: number) => ({ event_name: 'currency_earned', timestamp: at, properties: EARNED })],
    ['sessions', (at: number) => ({ start_time: at, duration_seconds: 60 })],
    ['purchases', () => ({ amount: 2 })],
  ] as const) {
    const body = rowsIn(columns).join('\n');
    expect((await runSql(clickhouse, `INSERT INTO ${table} FORMAT JSONEachRow`, { body })).status).toBe(200);
  }
  return sequence;
}
const EARNED = '{"currency":"gold","amount":1}';

/** Half hours by the day of a zone. */
const expected = (zone: string) => {
  const dateOf = (at: number) => new Date(at).toLocaleDateString('sv', { timeZone: zone });
  return [...Map.groupBy(times, dateOf)].map(([day, own]) => ({ day, n: own.length }));
};

const COUNTED = {
  player_days: 'events',
  kpis_daily: 'sessions',
  sessions_daily: 'sessions',
  purchases_daily: 'purchases',
  event_counts_daily: 'events',
  active_players_daily: 'events',
  economy_daily: 'source_events',
};

async function expectDays(zones: Record<string, string>): Promise<void> {
  for (const [view, column] of Object.entries(COUNTED)) {
    for (const game of games) {
      const rows = await rowsOf(
        clickhouse,
        `SELECT toString(day) AS day, toUInt32(${column}) AS n FROM ${view} ${view === 'player_days' ? 'FINAL' : ''}
         WHERE game_id = '${game.replace("'", "\\'")}' ORDER BY day`,
      );
      expect([view, game, rows]).toEqual([view, game, expected(zones[game] ?? 'UTC')]);
    }
  }
}

it('the builder remembers how far each game is built', async () => {
  const target = createPlayerDaysTarget(clickhouse.address);
  expect(await target.builds()).toEqual([]);
  const built = { game: 'a', environment: 'live', createdMs: CREATED, sequence: 5, waitsTo: 9, builtToMs: 1 };
  const first = { ...built, zone: 'Europe/Berlin', builtAtMs: 2, seconds: 0.5, version: 2n ** 100n + 1n };
  await target.note([first, { ...first, game: 'b' }]);
  await target.note([{ ...first, sequence: 9, waitsTo: 0 }]);
  const rows = (await target.builds()).toSorted((one, other) => (one.game < other.game ? -1 : 1));
  expect(rows).toMatchObject([
    { ...first, sequence: 9, waitsTo: 0 },
    { ...first, game: 'b' },
  ]);
  await target.close();
  await execSql(clickhouse, 'TRUNCATE TABLE player_days_builds');
});

it('what waits of a game is not in its days yet', async () => {
  const target = createPlayerDaysTarget(clickhouse.address);
  const client = openClient(clickhouse.address, 'test', 10_000);
  const built = { environment: 'live', createdMs: CREATED, zone: 'UTC', builtAtMs: 2, seconds: 0.5, version: 1n };
  const to = { createdMs: CREATED, sequence: 9 };
  const of = (game: string) => readBuiltTo(client, { game, environment: 'live', zone: 'UTC' });
  await target.note([
    { ...built, game: '', environment: '', sequence: 9, waitsTo: 0, builtToMs: 5_000 },
    { ...built, game: 'idle', sequence: 3, waitsTo: 0, builtToMs: 2_000 },
    { ...built, game: 'waits', sequence: 3, waitsTo: 8, builtToMs: 2_000 },
    { ...built, game: 'anew', sequence: 0, waitsTo: 8, builtToMs: 0 },
  ]);
  expect(await of('idle')).toEqual({ ms: 5_000, looked: to });
  expect(await of('unknown')).toEqual({ ms: 5_000, looked: to });
  expect(await of('waits')).toEqual({ ms: 2_000, looked: undefined });
  expect(await of('anew')).toEqual({ ms: undefined, looked: undefined });
  await client.close();
  await target.close();
  await execSql(clickhouse, 'TRUNCATE TABLE player_days_builds');
});

it('an erasure of days does not begin while an earlier one runs', async () => {
  const target = createPlayerDaysTarget(clickhouse.address);
  const player = '00000000-0000-5000-8000-000000000009';
  const values = `('a', 'live', '${player}', '2026-01-01', 1)`;
  await execSql(clickhouse, `INSERT INTO player_days (game_id, environment, player_id, day, version) VALUES ${values}`);
  const mutations = async () => {
    const running = "SELECT count() AS n FROM system.mutations WHERE table = 'player_days' AND NOT is_done";
    return Number((await rowsOf<{ n: string }>(clickhouse, running))[0]?.n);
  };
  await execSql(clickhouse, 'SYSTEM STOP MERGES player_days');
  try {
    const other = "ALTER TABLE player_days DELETE WHERE country = 'nowhere'";
    const begun = await runSql(clickhouse, other, { search: { mutations_sync: '0' } });
    expect([begun.status, await mutations()]).toEqual([200, 1]);
    const players = { game: 'a', environment: 'live', ids: [player] };
    expect(await target.rebuild(players, { zone: 'UTC', version: 2n })).toBe('later');
    expect(await mutations()).toBe(1);
  } finally {
    await execSql(clickhouse, 'SYSTEM START MERGES player_days');
  }
  await until('the deletion is done', async () => (await mutations()) === 0);
  await execSql(clickhouse, 'TRUNCATE TABLE player_days');
  await target.close();
});

it('every view counts days of the zone of its game, and follows a change of it', { timeout: 120_000 }, async () => {
  const to = { createdMs: CREATED, sequence: await insert() };
  const zones: Record<string, string> = { "o'clock": SAO_PAULO, berlin: BERLIN };
  const asOfMs = Date.parse('2026-11-01');
  const builder = createPlayerDaysBuilder({
    position: async () => ({ to, asOfMs }),
    clock: systemClock,
    target: createPlayerDaysTarget(clickhouse.address),
    leads: () => true,
    zoneOf: (game) => zones[game] ?? 'UTC',
    limits: { playerDaysEveryMs: 50, playerDaysRestShare: 0, playerDaysRestMostMs: 0 },
    logger: silentLogger,
  });
  const freshness = () =>
    rowsOf<{ game_id: string; waits: boolean; time_zone: string; built_to: string }>(
      clickhouse,
      'SELECT game_id, waits, time_zone, toString(built_to) AS built_to FROM freshness ORDER BY game_id',
    );
  const builtIn = (wanted: Record<string, string>) => async () => {
    const rows = await freshness();
    const built = rows.filter(({ game_id: game, waits, time_zone }) => !waits && time_zone === (wanted[game] ?? 'UTC'));
    return built.length === games.length;
  };
  builder.start();
  try {
    await until('the days are built', builtIn(zones), 60_000);
    await expectDays(zones);
    expect((await freshness())[0]).toMatchObject({ game_id: 'berlin', built_to: '2026-11-01 00:00:00.000' });
    const client = openClient(clickhouse.address, 'test', 10_000);
    const builtToIn = (zone: string) => readBuiltTo(client, { game: 'berlin', environment: 'live', zone });
    expect(await builtToIn(BERLIN)).toEqual({ ms: asOfMs, looked: to });
    // The zone has just changed, and the builder has not noted it.
    expect(await builtToIn('UTC')).toEqual({ ms: undefined, looked: undefined });
    await client.close();
    Object.assign(zones, { utc: 'Asia/Kolkata', berlin: 'UTC' });
    await until('the days are built in the new zones', builtIn(zones), 60_000);
    // The views follow the last build.
    const isRight = () =>
      expectDays(zones).then(
        () => true,
        () => false,
      );
    await until('the views follow', isRight, 60_000);
    await expectDays(zones);
  } finally {
    await builder.stop();
  }
});
