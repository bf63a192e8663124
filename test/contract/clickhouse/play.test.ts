import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Fact } from '../../../core/vocabulary/facts/facts.ts';
import type { PurchaseRecorded } from '../../../core/vocabulary/facts/purchase-facts.ts';
import { SHARED_LIMITS } from '../../../core/kernel/limits.ts';
import { rowsOf, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { write } from '../../support/wire/decided-game.ts';
import { startWithTables } from '../../support/wire/made-tables.ts';
import type { SessionClosed, SessionRecorded } from '../../../core/vocabulary/facts/session-facts.ts';

/* Sessions and purchases through the real sink into the real engine. */

const PLAYER = '7d6f3f5e-6f0b-5f8e-9d2c-0d1e2f3a4b5c';
const START = Date.UTC(2026, 0, 20, 10);
const BASE = { game: 'demo', environment: 'live', entityId: PLAYER, at: START, externalId: 'ext-1' } as const;

const recorded = (some: Partial<SessionRecorded> = {}): SessionRecorded => ({
  ...BASE,
  kind: 'SessionRecorded',
  sessionId: 'own-7',
  digest: 'Zm9vYmFyYmF6',
  startedAt: null,
  endedAt: null,
  durationSeconds: 60,
  ...some,
});
const closed = (some: Partial<SessionClosed> = {}): SessionClosed => ({
  ...BASE,
  kind: 'SessionClosed',
  sessionId: 'ses_1',
  reason: 'ended',
  openedAt: START - 90_000,
  endedAt: START,
  durationSeconds: 80,
  eventCount: 12,
  achievements: [],
  interventionsShown: 2,
  interventionsClicked: 1,
  ...some,
});
const purchased = (some: Partial<PurchaseRecorded> = {}): PurchaseRecorded => ({
  ...BASE,
  kind: 'PurchaseRecorded',
  amount: 99_900,
  currency: null,
  productId: null,
  transactionId: null,
  digest: null,
  ...some,
});

const AWKWARD = ["it's", 'tab\tand\nfeed', 'back\\slash', '"quoted"', "\\'", 'ü 🎮', '', ']', ','];

const TAKEN = {
  entityId: '1c7d8a52-5c63-5d6e-8a70-2f6c1f6d9c12',
  transactionId: 'tx-2',
  digest: 'cXV1eGNvcmdl',
} as const;

const FACTS: Fact[] = [
  recorded({ startedAt: START - 60_000, endedAt: START }),
  recorded({ sessionId: 'own-8', startedAt: -62_135_596_800_000, durationSeconds: 30, environment: 'test' }),
  closed({ achievements: AWKWARD, durationSeconds: 79.5 }),
  closed({ sessionId: 'ses_2', reason: 'expired', at: START + 86_400_000, platform: 'ios', appVersion: '1.2' }),
  purchased({ currency: 'EUR', productId: 'gems\t100', transactionId: "tx-1 o'clock" }),
  purchased({ amount: 1, entityId: '0b7d8a52-5c63-5d6e-8a70-2f6c1f6d9c11' }),
  purchased({ amount: SHARED_LIMITS.purchaseAmount, environment: 'test' }),
  // A client key took the transaction first; a day later a server key says what was paid.
  purchased({ ...TAKEN, amount: SHARED_LIMITS.purchaseAmount, productId: 'fake', by: 'client' }),
  {
    ...BASE,
    ...TAKEN,
    kind: 'PurchaseReversed',
    amount: SHARED_LIMITS.purchaseAmount,
    currency: null,
    productId: 'fake',
    recordedAt: START,
    at: START + 86_400_000,
  },
  purchased({ ...TAKEN, amount: 50_000, at: START + 86_400_000, by: 'server', firstReportedAt: START }),
];

let clickhouse: TestClickhouse;
beforeAll(async () => {
  clickhouse = await startWithTables();
  await write(clickhouse, [FACTS]);
});
afterAll(() => clickhouse.close());

it('a session is a row when it is over, whichever call reported it', async () => {
  const rows = await rowsOf(
    clickhouse,
    `SELECT session_id, toString(player_id) AS player, external_id, environment, end_reason, toString(start_time) AS start,
            toString(end_time) AS end, duration_seconds, total_events, achievements_unlocked, interventions_shown AS shown,
            interventions_clicked AS clicked, toString(received_at) AS received, platform, app_version AS version
     FROM sessions ORDER BY facts_index`,
  );
  const player = { player: PLAYER, external_id: 'ext-1', platform: '', version: '' };
  expect(rows).toEqual([
    {
      ...player,
      session_id: 'own-7',
      environment: 'live',
      end_reason: 'recorded',
      start: '2026-01-20 09:59:00.000',
      end: '2026-01-20 10:00:00.000',
      duration_seconds: 60,
      total_events: 0,
      achievements_unlocked: [],
      shown: 0,
      clicked: 0,
      received: '2026-01-20 10:00:00.000',
    },
    expect.objectContaining({ session_id: 'own-8', environment: 'test', start: '1900-01-01 00:00:00.000', end: null }),
    {
      ...player,
      session_id: 'ses_1',
      environment: 'live',
      end_reason: 'ended',
      start: '2026-01-20 09:58:30.000',
      end: '2026-01-20 10:00:00.000',
      duration_seconds: 80,
      total_events: 12,
      achievements_unlocked: AWKWARD,
      shown: 2,
      clicked: 1,
      received: '2026-01-20 10:00:00.000',
    },
    expect.objectContaining({
      session_id: 'ses_2',
      end_reason: 'expired',
      received: '2026-01-21 10:00:00.000',
      platform: 'ios',
      version: '1.2',
    }),
  ]);
});

it('a purchase is a row with its exact amount', async () => {
  const rows = await rowsOf(
    clickhouse,
    "SELECT environment, toString(amount) AS amount, currency, product_id, transaction_id FROM purchases WHERE recorded_by = '' ORDER BY facts_index",
  );
  const unsaid = { currency: null, product_id: null, transaction_id: null };
  expect(rows).toEqual([
    {
      environment: 'live',
      amount: '9.99',
      currency: 'EUR',
      product_id: 'gems\t100',
      transaction_id: "tx-1 o'clock",
    },
    { environment: 'live', amount: '0.0001', ...unsaid },
    { environment: 'test', amount: '900000000000', ...unsaid },
  ]);
});

it('a purchase that a server key corrected adds up to what it says, by day, product and player', async () => {
  const sums = (by: string) =>
    rowsOf(
      clickhouse,
      `SELECT toString(${by}) AS by, toString(sum(amount)) AS amount, toInt32(sum(counts)) AS purchases FROM purchases
       WHERE player_id = '${TAKEN.entityId}' GROUP BY by ORDER BY by`,
    );
  const counted = { amount: '5', purchases: 1 };
  const nothing = { amount: '0', purchases: 0 };
  expect(await sums('player_id')).toEqual([{ by: TAKEN.entityId, ...counted }]);
  // On the day on which the client reported it.
  expect(await sums('toDate(received_at)')).toEqual([{ by: '2026-01-20', ...counted }]);
  expect(await sums("ifNull(product_id, '')")).toEqual([
    { by: '', ...counted },
    { by: 'fake', ...nothing },
  ]);
});

it('the views for dashboards count days of the live environment', async () => {
  // A session counts on the day on which it began, whenever it was closed.
  const days = await rowsOf(clickhouse, 'SELECT * FROM sessions_daily ORDER BY day');
  expect(days).toMatchObject([{ day: '2026-01-20', game_id: 'demo', median_seconds: 80, p90_seconds: 80 }]);
  const counts = await rowsOf(
    clickhouse,
    'SELECT toUInt32(sessions) AS sessions, toUInt32(players) AS players, toUInt32(playtime_seconds) AS seconds FROM sessions_daily ORDER BY day',
  );
  expect(counts).toEqual([{ sessions: 3, players: 1, seconds: 220 }]);
  const revenue = await rowsOf(
    clickhouse,
    'SELECT toUInt32(purchases) AS purchases, toUInt32(payers) AS payers, toString(revenue) AS revenue FROM purchases_daily ORDER BY day',
  );
  // The server's amount counts on the day on which the client reported the purchase.
  expect(revenue).toEqual([{ purchases: 3, payers: 3, revenue: '14.9901' }]);
});
