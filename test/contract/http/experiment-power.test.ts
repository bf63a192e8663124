import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Fact } from '../../../core/vocabulary/facts/facts.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { DAY_MS } from '../../../core/kernel/days.ts';
import { aTrackedEvent } from '../../../streams/sinks/testing-commits.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { type ClickhouseGateway, startClickhouseGateway } from '../../support/wire/clickhouse-gateway.ts';
import { runSql } from '../../support/servers/clickhouse.ts';
import type { Gateway } from '../../support/in-memory/http-gateway.ts';

let world: ClickhouseGateway;
let gateway: Gateway;
let key: string;

const TODAY_MS = Math.floor(systemClock.wallMs() / DAY_MS) * DAY_MS;
const playerId = (n: number): string => `00000000-0000-5000-8000-${String(n).padStart(12, '0')}`;
const date = (ago: number): string => new Date(TODAY_MS - ago * DAY_MS).toISOString().slice(0, 10);

/** Buys some hours into a day. */
const bought = (player: number, ago: number, amount: number): Fact =>
  aTrackedEvent({
    game: 'demo',
    environment: 'live',
    entityId: playerId(player),
    externalId: `ext-${player}`,
    eventName: 'bought',
    at: TODAY_MS - ago * DAY_MS + 5 * 3_600_000,
    properties: JSON.stringify({ amount }),
  });

beforeAll(async () => {
  world = await startClickhouseGateway();
  ({ gateway } = world);
  key = await gateway.key();
  // With windows of 7 days the days that count are those from 35 to 8 days ago.
  const days = [
    ...Array.from({ length: 120 }, (_, n) => ({ player: n, ago: 20 })),
    ...Array.from({ length: 80 }, (_, n) => ({ player: 120 + n, ago: 8 })),
    // They were there before: this is not their first day.
    ...Array.from({ length: 50 }, (_, n) => ({ player: n, ago: 12 })),
    // Too long ago, and too late for a whole window.
    { player: 900, ago: 36 },
    { player: 901, ago: 7 },
  ];
  const rows = days.map(({ player, ago }) =>
    JSON.stringify({ game_id: 'demo', environment: 'live', player_id: playerId(player), day: date(ago) }),
  );
  const sql = 'INSERT INTO player_days (game_id, environment, player_id, day) FORMAT JSONEachRow';
  expect((await runSql(world.clickhouse, sql, { body: rows.join('\n') })).text).toBe('');
  const facts = [
    ...Array.from({ length: 20 }, (_, n) => bought(n, 20, n + 1)),
    ...Array.from({ length: 10 }, (_, n) => bought(120 + n, 2, 7)),
    // After the window, before the first day, and by players who do not count.
    bought(30, 12, 50),
    bought(31, 21, 50),
    bought(900, 35, 50),
    bought(901, 7, 50),
  ];
  await world.write(facts);
});
afterAll(() => world.close());

async function power(query: string) {
  const response = await gateway.call(key, 'GET', `/v1/experiments/power?${query}`);
  return { status: response.status, body: await bodyOf(response) };
}

describe('GET /v1/experiments/power', () => {
  it('plans players and days by the metric of the players who came four weeks before', async () => {
    const { status, body } = await power('metric=bought&mde=0.2');
    expect(status).toBe(200);
    const byDay = Array.from({ length: 28 }, (_, place) => ({ 15: 120, 27: 80 })[place] ?? 0);
    expect(body.data).toMatchObject({
      aggregate: 'conversion',
      metric: 'bought',
      window_days: 7,
      // 30 of 200 bought: 0.15 · 0.85 · 200 / 199.
      baseline: { players: 200, mean: 0.15, variance: expect.closeTo(0.1281407, 6), players_by_day: byDay },
      reason: null,
      mde: 0.2,
      // 7.848880 · (0.18 · 0.82 + 0.1281407) / 0.5 / 0.03² = 4,809.5.
      players: 4_810,
      // 200 come in 28 days, and then 80 / 7 a day: 28 + 4,610 / 11.43.
      days: 432,
    });
  });

  it('tells the effect that players or days find, fewer with more variants and less traffic', async () => {
    const effect = async (query: string) => (await power(`metric=bought&${query}`)).body.data;
    expect(await effect('players=4810')).toMatchObject({ mde: expect.closeTo(0.2, 4), players: 4_810, days: 432 });
    expect(await effect('days=300')).toMatchObject({ mde: expect.closeTo(0.2429, 4), players: 3_308, days: 300 });
    expect(await effect('players=4810&variants=3')).toMatchObject({ variants: 3, mde: expect.closeTo(0.2729, 4) });
    expect(await effect('mde=0.2&traffic=50')).toMatchObject({ players: 4_810, traffic: 50, days: 853 });
  });

  it('takes the variance of sums, and says what CUPED would take off', async () => {
    const { body } = await power('metric=bought&aggregate=sum&property=amount&cuped=true&mde=0.5');
    // 1 to 20 and ten of 7: 280 / 200. Squares: 2,870 + 490.
    expect(body.data).toMatchObject({
      baseline: {
        mean: expect.closeTo(1.4, 10),
        variance: expect.closeTo((3_360 - 200 * 1.96) / 199, 6),
        variance_reduction: expect.closeTo(0, 1),
      },
      players: expect.any(Number),
    });
  });

  it('gives no plan where nothing is known, and refuses two wishes', async () => {
    const none = { mde: null, players: null, days: null };
    expect((await power('metric=never')).body.data).toMatchObject({ reason: 'no_values', ...none });
    expect((await power('metric=bought&window_days=25')).body.data).toMatchObject({
      baseline: { players: 1 },
      reason: 'few_players',
      ...none,
    });
    expect((await power('metric=bought&players=2')).body.data).toMatchObject({ reason: 'no_such_effect', mde: null });
    const { status, body } = await power('metric=bought&mde=0.1&days=5');
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('cannot be combined with `mde`')]);
  });
});
