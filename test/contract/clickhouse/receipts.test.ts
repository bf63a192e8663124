import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAnalytics, type Analytics } from '../../../clickhouse-schema/queries/analytics.ts';
import { TABLE_NAMES } from '../../../clickhouse-schema/rows/tables/tables.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import type { ReceiptVerdict } from '../../../core/vocabulary/commands/recorded.ts';
import { silentLogger } from '../../support/in-memory/silent-logger.ts';
import { execSql, rowsOf, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { aGame, buildAllDays, playerId, SCOPE, write } from '../../support/wire/decided-game.ts';
import { startWithTables } from '../../support/wire/made-tables.ts';

/* Purchases with receipts: decided by the owner, through the real sink, in the figures that analysts read. */

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
const VERIFIED = { kind: 'verified', productId: 'gems' } as const;
const FORGED = { kind: 'rejected', reason: 'invalid_signature' } as const;

type Game = ReturnType<typeof aGame>;

function buy(game: Game, n: number, at: number, transactionId: string, countsVerified?: true): void {
  const what = { amount: 99_900, currency: 'EUR', productId: 'gems', transactionId, eventId: `e-${n}-${at}` };
  const how = { store: 'apple', ...(countsVerified ? { countsVerified } : {}) } as const;
  game.send(n, at, 'client', { kind: 'RecordPurchase', playerId: playerId(n), ...what, ...how });
}
function decide(game: Game, n: number, at: number, transactionId: string, verdict: ReceiptVerdict): void {
  const what = { transactionId, store: 'apple', verdict, eventId: `d-${n}-${at}` } as const;
  game.send(n, at, 'server', { kind: 'DecideReceipt', playerId: playerId(n), ...what });
}

/** Four players buy: verified at once, verified two days later, rejected two days later, and never decided. */
function fourPlayers(countsVerified?: true): Game {
  const game = aGame();
  for (let n = 1; n <= 4; n += 1) {
    game.exposed(n, 'a', START - 1_000);
    buy(game, n, START + n, `tx-${n}`, countsVerified);
  }
  decide(game, 1, START + 60_000, 'tx-1', VERIFIED);
  decide(game, 2, START + 2 * DAY_MS, 'tx-2', VERIFIED);
  decide(game, 3, START + 2 * DAY_MS, 'tx-3', FORGED);
  return game;
}

const DAYS = `SELECT toString(day) AS day, toUInt32(purchases) AS purchases, toUInt32(payers) AS payers,
  toFloat64(revenue) AS revenue, toFloat64(gross_revenue) AS gross, toFloat64(refunds) AS refunds
  FROM purchases_daily ORDER BY day`;
const KPIS = `SELECT toString(day) AS day, toUInt32(dau) AS dau, toUInt32(first_time_payers) AS first,
  toUInt32(purchases) AS purchases, toFloat64(revenue) AS revenue FROM kpis_daily ORDER BY day LIMIT 1`;

async function experiment() {
  const result = await analytics.experiment({
    ...SCOPE,
    flagKey: 'shop',
    fromVersion: 1,
    beforeVersion: 2,
    variants: ['a'],
    metric: 'purchase',
    aggregate: { kind: 'sum', property: 'amount' },
    windowDays: 7,
    sinceMs: START - DAY_MS,
    untilMs: START + 100 * DAY_MS,
    zone: 'UTC',
    earlierSinceMs: START - DAY_MS,
  });
  if (result.kind === 'unavailable') throw new Error('ClickHouse did not answer');
  return result.value.map(({ players, conversions, sum }) => ({ players, conversions, sum }));
}

describe.each([
  ['where all purchases count', undefined, 3],
  ['where verified purchases count', true, 2],
] as const)('%s', (_what, countsVerified, counted) => {
  it('totals, days, key figures and experiments agree, at the day of the reports', async () => {
    const game = fourPlayers(countsVerified);
    await write(clickhouse, game.records);
    await buildAllDays(clickhouse, game.records);
    const revenue = Math.round(counted * 999) / 100;
    expect(await rowsOf(clickhouse, DAYS)).toEqual([
      { day: '2026-01-20', purchases: counted, payers: counted, revenue, gross: revenue, refunds: 0 },
    ]);
    expect(await rowsOf(clickhouse, KPIS)).toEqual([
      { day: '2026-01-20', dau: 4, first: counted, purchases: counted, revenue },
    ]);
    const [found] = await experiment();
    expect([found?.players, found?.conversions]).toEqual([4, counted]);
    expect(found?.sum).toBeCloseTo(revenue, 6);
    const sums = 'SELECT toFloat64(sum(amount)) AS revenue, toInt32(sum(counts)) AS counts FROM purchases';
    expect(await rowsOf(clickhouse, sums)).toEqual([{ revenue, counts: counted }]);
  });

  it('each transaction has its state, its reason and what it counts', async () => {
    const game = fourPlayers(countsVerified);
    await write(clickhouse, game.records);
    const states = `SELECT transaction, last_store AS store, state, reason, toFloat64(reported) AS reported,
      toFloat64(revenue) AS revenue FROM purchase_receipts ORDER BY transaction`;
    const of = (transaction: string, state: string, revenue: number, reason = '') => {
      return { transaction, store: 'apple', state, reason, reported: 9.99, revenue };
    };
    expect(await rowsOf(clickhouse, states)).toEqual([
      of('tx-1', 'verified', 9.99),
      of('tx-2', 'verified', 9.99),
      of('tx-3', 'rejected', 0, 'invalid_signature'),
      of('tx-4', 'pending', countsVerified === true ? 0 : 9.99),
    ]);
  });
});

it('a refund after a verification is less on its own day', async () => {
  const game = aGame();
  buy(game, 1, START, 'tx-1', true);
  decide(game, 1, START + 1_000, 'tx-1', VERIFIED);
  game.refund(1, START + DAY_MS, 'tx-1');
  await write(clickhouse, game.records);
  expect(await rowsOf(clickhouse, DAYS)).toMatchObject([
    { day: '2026-01-20', purchases: 1, revenue: 9.99 },
    { day: '2026-01-21', purchases: 0, revenue: -9.99, refunds: 9.99 },
  ]);
});
