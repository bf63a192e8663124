import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ExperimentQuery } from '../../../clickhouse-schema/queries/experiments/experiment-query.ts';
import { type Analytics, createAnalytics } from '../../../clickhouse-schema/queries/analytics.ts';
import { TABLE_NAMES } from '../../../clickhouse-schema/rows/tables/tables.ts';
import type { CallerKind } from '../../../core/vocabulary/documents/scope.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { aTrackedEvent } from '../../../streams/sinks/testing-commits.ts';
import { silentLogger } from '../../support/in-memory/silent-logger.ts';
import { execSql, rowsOf, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { aGame, buildAllDays, playerId, SCOPE, write } from '../../support/wire/decided-game.ts';
import { startWithTables } from '../../support/wire/made-tables.ts';

/* What players paid and got back: decided by the owner, through the real sink, in the figures that analysts read. */

let clickhouse: TestClickhouse;
let analytics: Analytics;
beforeAll(async () => {
  clickhouse = await startWithTables();
  analytics = createAnalytics({ address: clickhouse.address, clock: systemClock, logger: silentLogger });
});
afterAll(async () => {
  await analytics.close();
  await clickhouse.close();
});
beforeEach(async () => {
  for (const table of TABLE_NAMES) await execSql(clickhouse, `TRUNCATE TABLE ${table}`);
});

const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 0, 20, 10);
async function measured(some: Partial<ExperimentQuery> = {}) {
  const result = await analytics.experiment({
    ...SCOPE,
    flagKey: 'shop',
    fromVersion: 1,
    beforeVersion: 2,
    variants: ['a', 'b'],
    metric: 'purchase',
    aggregate: { kind: 'sum', property: 'amount' },
    windowDays: 7,
    sinceMs: START - DAY_MS,
    untilMs: START + 100 * DAY_MS,
    zone: 'UTC',
    earlierSinceMs: START - DAY_MS,
    ...some,
  });
  if (result.kind === 'unavailable') throw new Error('ClickHouse did not answer');
  return result.value
    .map(({ variant, players, conversions, sum }) => ({ variant, players, conversions, sum }))
    .toSorted((one, other) => (one.variant < other.variant ? -1 : 1));
}

describe("an experiment's metric of the event `purchase`", () => {
  it('counts a transaction once that a client key and a server key recorded with different amounts', async () => {
    const game = aGame();
    for (let n = 1; n <= 6; n++) {
      game.exposed(n, 'a', START);
      game.buy(n, START + 1_000, 'client', 99_900, `tx-${n}`);
      game.buy(n, START + 2_000, 'server', 50_000, `tx-${n}`);
    }
    await write(clickhouse, game.records);
    const players = { variant: 'a', players: 6, conversions: 6 };
    expect(await measured()).toEqual([{ ...players, sum: 30 }]);
    expect(await measured({ aggregate: { kind: 'count' } })).toEqual([{ ...players, sum: 6 }]);
    expect(await measured({ aggregate: { kind: 'conversion' } })).toEqual([{ ...players, sum: 6 }]);
  });

  it('is less what was refunded, whenever that was, and still counts the purchase', async () => {
    const game = aGame();
    for (let n = 1; n <= 6; n++) {
      game.exposed(n, 'a', START);
      game.buy(n, START + 1_000, 'client', 99_900, `tx-${n}`);
      game.buy(n, START + 2_000, 'server', 50_000, `tx-${n}`);
    }
    game.refund(1, START + 30 * DAY_MS, 'tx-1', 20_000);
    await write(clickhouse, game.records);
    expect(await measured()).toEqual([{ variant: 'a', players: 6, conversions: 6, sum: 28 }]);
    expect(await measured({ aggregate: { kind: 'count' } })).toMatchObject([{ sum: 6 }]);
    // The view for analysts agrees.
    const metrics = "['sum:amount:purchase', 'count:purchase', 'conversion:purchase']";
    const readout = `experiment_readout(game = 'demo', flag = 'shop', experiment = '', period = 1,
      since = toDateTime64('2026-01-19', 3, 'UTC'), until = now64(3), variants = ['a', 'b'], metrics = ${metrics}, window_days = 7, covariate_days = 3)`;
    expect(
      await rowsOf(
        clickhouse,
        `SELECT metric, toUInt32(conversions) AS conversions, sum FROM ${readout} ORDER BY metric`,
      ),
    ).toEqual([
      { metric: 'conversion:purchase', conversions: 6, sum: 6 },
      { metric: 'count:purchase', conversions: 6, sum: 6 },
      { metric: 'sum:amount:purchase', conversions: 6, sum: 28 },
    ]);
  });

  it('does not count the refund of a purchase from before the exposure', async () => {
    const game = aGame();
    game.buy(1, START - 2 * DAY_MS, 'server', 50_000, 'early');
    game.exposed(1, 'a', START);
    game.buy(1, START + 1, 'server', 30_000, 'tx');
    game.refund(1, START + 2, 'early');
    await write(clickhouse, game.records);
    expect(await measured()).toEqual([{ variant: 'a', players: 1, conversions: 1, sum: 3 }]);
  });

  it('counts purchases without a transaction each, and none from before the exposure or after the window', async () => {
    const game = aGame();
    game.buy(1, START - 1, 'client', 10_000, 'early');
    game.exposed(1, 'a', START);
    // The server's record of a purchase that the client made before the exposure does not move it behind that.
    game.buy(1, START + 1, 'server', 20_000, 'early');
    game.buy(1, START + 2, 'server', 30_000, null);
    game.buy(1, START + 2, 'server', 30_000, null);
    game.buy(1, START + 7 * DAY_MS, 'server', 40_000, 'late');
    game.exposed(2, 'b', START);
    await write(clickhouse, game.records);
    expect(await measured()).toEqual([
      { variant: 'a', players: 1, conversions: 1, sum: 6 },
      { variant: 'b', players: 1, conversions: 0, sum: 0 },
    ]);
  });

  it('leaves out a purchase from before the period that the server records within it', async () => {
    const game = aGame();
    game.buy(1, START - 3 * DAY_MS, 'client', 10_000, 'early');
    game.exposed(1, 'a', START);
    game.buy(1, START + 1, 'server', 20_000, 'early');
    await write(clickhouse, game.records);
    expect(await measured()).toEqual([{ variant: 'a', players: 1, conversions: 0, sum: 0 }]);
  });

  it("includes the game's own events of that name, with any property", async () => {
    const game = aGame();
    game.exposed(1, 'a', START);
    game.buy(1, START + 1, 'server', 30_000, 'tx');
    const own = { entityId: playerId(1), eventName: 'purchase', properties: '{"amount":2,"coins":40}' } as const;
    game.records.push([aTrackedEvent({ ...own, at: START + 2, by: 'client' })]);
    await write(clickhouse, game.records);
    expect(await measured()).toMatchObject([{ conversions: 1, sum: 5 }]);
    expect(await measured({ aggregate: { kind: 'count' } })).toMatchObject([{ sum: 2 }]);
    expect(await measured({ aggregate: { kind: 'sum', property: 'coins' } })).toMatchObject([{ sum: 40 }]);
  });
});

describe('rows of purchases', () => {
  it('add up to the totals of the player, gross without what a server replaced and what was refunded', async () => {
    const game = aGame();
    game.buy(1, START, 'client', 99_900, 'tx-1');
    game.buy(1, START + DAY_MS, 'server', 50_000, 'tx-1');
    game.buy(1, START + DAY_MS, 'server', 30_000, 'tx-2');
    game.refund(1, START + 2 * DAY_MS, 'tx-1', 20_000, 'r-1');
    const last = game.refund(1, START + 3 * DAY_MS, 'tx-2');
    expect(last).toMatchObject({ amount: 30_000, remaining: 0, totalRevenue: 30_000, purchaseCount: 1 });
    await write(clickhouse, game.records);
    const rows = await rowsOf(
      clickhouse,
      `SELECT kind, toFloat64(amount) AS amount, counts, transaction_id, refund_id, product_id, recorded_by
       FROM purchases ORDER BY facts_sequence, facts_index`,
    );
    const gems = { product_id: 'gems', refund_id: null };
    expect(rows).toEqual([
      { kind: 'purchase', amount: 9.99, counts: 1, transaction_id: 'tx-1', ...gems, recorded_by: 'client' },
      { kind: 'replaced', amount: -9.99, counts: -1, transaction_id: 'tx-1', ...gems, recorded_by: 'client' },
      { kind: 'purchase', amount: 5, counts: 1, transaction_id: 'tx-1', ...gems, recorded_by: 'server' },
      { kind: 'purchase', amount: 3, counts: 1, transaction_id: 'tx-2', ...gems, recorded_by: 'server' },
      {
        kind: 'refund',
        amount: -2,
        counts: 0,
        transaction_id: 'tx-1',
        ...gems,
        refund_id: 'r-1',
        recorded_by: 'server',
      },
      { kind: 'refund', amount: -3, counts: -1, transaction_id: 'tx-2', ...gems, recorded_by: 'server' },
    ]);
    const days = `SELECT toString(day) AS day, toUInt32(purchases) AS purchases, toUInt32(payers) AS payers,
      toFloat64(revenue) AS revenue, toFloat64(gross_revenue) AS gross, toFloat64(refunds) AS refunds
      FROM purchases_daily ORDER BY day`;
    expect(await rowsOf(clickhouse, days)).toEqual([
      { day: '2026-01-20', purchases: 1, payers: 1, revenue: 5, gross: 5, refunds: 0 },
      { day: '2026-01-21', purchases: 1, payers: 1, revenue: 3, gross: 3, refunds: 0 },
      { day: '2026-01-22', purchases: 0, payers: 0, revenue: -2, gross: 0, refunds: 2 },
      { day: '2026-01-23', purchases: 0, payers: 0, revenue: -3, gross: 0, refunds: 3 },
    ]);
  });
});

describe('a purchase that a client and a server report', () => {
  const FIGURES = `SELECT toString(day) AS day, toUInt32(dau) AS dau, toUInt32(new_players) AS new,
    toUInt32(first_time_payers) AS first, toUInt32(purchases) AS purchases, toFloat64(revenue) AS revenue,
    toUInt32(events) AS events FROM kpis_daily ORDER BY day`;

  async function built(game: ReturnType<typeof aGame>): Promise<Record<string, unknown>[]> {
    await write(clickhouse, game.records);
    await buildAllDays(clickhouse, game.records);
    return rowsOf(clickhouse, FIGURES);
  }

  it.each([
    ['two days later', 2 * DAY_MS],
    ['a month later', 31 * DAY_MS],
  ])('counts on the day of the first report, %s, and the second is no activity', async (_, later) => {
    const game = aGame();
    game.buy(1, START, 'client', 99_900, 'tx-1');
    game.buy(1, START + later, 'server', 99_900, 'tx-1');
    game.buy(2, START + 1, 'client', 99_900, 'tx-2');
    game.buy(2, START + later, 'server', 50_000, 'tx-2');
    const [first, ...others] = await built(game);
    expect(first).toEqual({ day: '2026-01-20', dau: 2, new: 2, first: 2, purchases: 2, revenue: 14.99, events: 2 });
    // The correction of the amount is an event that no player caused.
    const day = new Date(START + later).toISOString().slice(0, 10);
    expect(others).toEqual([{ day, dau: 0, new: 0, first: 0, purchases: 0, revenue: 0, events: 1 }]);
    const events = `SELECT event_name, toFloat64(JSONExtractFloat(properties, 'amount')) AS amount,
      JSONExtractFloat(properties, 'previous_amount') AS previous FROM events ORDER BY facts_sequence`;
    expect(await rowsOf(clickhouse, events)).toEqual([
      { event_name: 'purchase', amount: 9.99, previous: 0 },
      { event_name: 'purchase', amount: 9.99, previous: 0 },
      { event_name: 'purchase_corrected', amount: 5, previous: 9.99 },
    ]);
  });

  it('counts when the server reports it, if that comes first, and after a refund it keeps its amount', async () => {
    const game = aGame();
    game.buy(1, START, 'server', 50_000, 'tx-1');
    game.buy(1, START + DAY_MS, 'client', 99_900, 'tx-1');
    game.buy(2, START, 'client', 99_900, 'tx-2');
    game.refund(2, START + DAY_MS, 'tx-2', 20_000);
    game.buy(2, START + 2 * DAY_MS, 'server', 50_000, 'tx-2');
    expect(await built(game)).toEqual([
      { day: '2026-01-20', dau: 2, new: 2, first: 2, purchases: 2, revenue: 14.99, events: 2 },
      { day: '2026-01-21', dau: 0, new: 0, first: 0, purchases: 0, revenue: -2, events: 1 },
    ]);
  });

  it('is taken back whole by a refund of the corrected amount, and not twice reported again', async () => {
    const game = aGame();
    game.buy(1, START, 'client', 99_900, 'tx-1');
    game.buy(1, START + DAY_MS, 'server', 50_000, 'tx-1');
    game.buy(1, START + DAY_MS + 1, 'server', 70_000, 'tx-1');
    expect(game.refund(1, START + 2 * DAY_MS, 'tx-1')).toMatchObject({ amount: 50_000, remaining: 0, totalRevenue: 0 });
    expect(await built(game)).toMatchObject([
      { day: '2026-01-20', dau: 1, purchases: 1, revenue: 5 },
      { day: '2026-01-21', dau: 0, purchases: 0, revenue: 0 },
      { day: '2026-01-22', dau: 0, purchases: 0, revenue: -5 },
    ]);
  });

  it('does not count a purchase in an experiment that a client reported before, and a server a month later', async () => {
    const game = aGame();
    game.buy(1, START - 31 * DAY_MS, 'client', 10_000, 'early');
    game.buy(2, START - 31 * DAY_MS, 'server', 10_000, 'old');
    game.exposed(1, 'a', START);
    game.exposed(2, 'a', START);
    game.buy(1, START + 1, 'server', 20_000, 'early');
    game.refund(2, START + 2, 'old');
    await write(clickhouse, game.records);
    expect(await measured()).toEqual([{ variant: 'a', players: 2, conversions: 0, sum: 0 }]);
  });
});

describe('a purchase in another currency', () => {
  it("is a row in the game's currency with what was paid, which is taken back with it", async () => {
    const game = aGame();
    const bought = (amount: number, by: CallerKind, at: number, rate: number) =>
      game.send(1, at, by, {
        kind: 'RecordPurchase',
        playerId: playerId(1),
        amount,
        currency: 'JPY',
        productId: 'gems',
        transactionId: 'tx-1',
        eventId: `${at}`,
        exchange: { rate },
      });
    bought(15_000_000, 'client', START, 0.00617);
    bought(16_000_000, 'server', START + 1_000, 0.00598);
    game.refund(1, START + 2_000, 'tx-1', 6_000_000);
    game.buy(1, START + 3_000, 'server', 50_000, 'tx-2');
    await write(clickhouse, game.records);
    const rows = `SELECT kind, toFloat64(amount) AS counted, toFloat64(paid_amount) AS paid, currency, counts
      FROM purchases ORDER BY facts_sequence, facts_index`;
    expect(await rowsOf(clickhouse, rows)).toEqual([
      { kind: 'purchase', counted: 9.255, paid: 1_500, currency: 'JPY', counts: 1 },
      { kind: 'replaced', counted: -9.255, paid: -1_500, currency: 'JPY', counts: -1 },
      { kind: 'purchase', counted: 9.872, paid: 1_600, currency: 'JPY', counts: 1 },
      { kind: 'refund', counted: -3.702, paid: -600, currency: 'JPY', counts: 0 },
      { kind: 'purchase', counted: 5, paid: null, currency: null, counts: 1 },
    ]);
    const found = await analytics.lookups.timeline({ ...SCOPE, playerId: playerId(1), kinds: ['purchase'], limit: 10 });
    if (found.kind === 'unavailable') throw new Error('ClickHouse did not answer');
    expect(found.value.entries.map(({ what, number, paid }) => [what, number, paid])).toEqual([
      ['recorded', 5, 0],
      ['refunded', -3.702, -600],
      ['recorded', 9.872, 1_600],
      ['reversed', -9.255, -1_500],
      ['recorded', 9.255, 1_500],
    ]);
  });
});
