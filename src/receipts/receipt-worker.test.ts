import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Registry } from 'prom-client';
import { systemIds } from '../../core/kernel/ids.ts';
import { failure } from '../../core/kernel/errors.ts';
import type { DecideReceipt } from '../../core/vocabulary/commands/recorded.ts';
import type { Reply } from '../../core/vocabulary/commands/replies.ts';
import { createMemoryBroker } from '../../streams/log/memory/log-memory.ts';
import { createMemoryConfigStore } from '../../test/support/in-memory/memory-config-store.ts';
import { createFakeClock } from '../../test/support/in-memory/fake-clock.ts';
import { NO_STORES } from '../../test/support/in-memory/fake-stores.ts';
import { silentLogger } from '../../test/support/in-memory/silent-logger.ts';
import { storesAddress } from '../../streams/config/stores.ts';
import { RECEIPT_LIMITS } from './limits.ts';
import { createReceiptMetrics } from './metrics.ts';
import { createReceiptClaims } from './receipt-claims.ts';
import { createReceiptQueue } from './receipt-queue.ts';
import { startReceiptWorker } from './receipt-worker.ts';
import type { Proof } from './store-verifier.ts';

/* The queue of receipts and its worker, against a broker in memory and a store that the test plays. */

const SCOPE = { game: 'demo', environment: 'live' } as const;
const SILENT: Proof = { kind: 'unavailable', why: 'no answer' };

let clock: ReturnType<typeof createFakeClock>;
let broker: ReturnType<typeof createMemoryBroker>;
let decided: (DecideReceipt & { game: string })[];
let reply: (body: DecideReceipt) => Reply;
let store: (payload: string) => Promise<Proof>;
let asked: string[];
let stops: (() => Promise<void>)[];

beforeEach(() => {
  clock = createFakeClock();
  broker = createMemoryBroker({ clock });
  [decided, asked, stops] = [[], [], []];
  reply = ({ playerId }) => ({ kind: 'purchaseRecorded', playerId, amount: 1, totalRevenue: 1, purchaseCount: 1 });
  store = async (payload) => proven(payload);
});
afterEach(() => Promise.all(stops.map((stop) => stop())));

const proven = (transactionId: string): Proof => ({
  kind: 'proven',
  transactionId,
  productId: 'gems',
  purchasedAtMs: clock.wallMs() - 1_000,
});

async function start(name = 'worker') {
  const config = createMemoryConfigStore();
  const apple = { bundleId: 'com.example', appAppleId: 1 };
  for (const game of ['demo', 'other'])
    await config.put(storesAddress({ game, environment: 'live' }), { apple, updatedAt: 1, version: 1 });
  const log = broker.connect(name);
  const metrics = createReceiptMetrics([new Registry()]);
  const stop = startReceiptWorker({
    log,
    config,
    owners: {
      async send({ game }, _playerId, body) {
        decided.push({ ...body, game });
        return reply(body);
      },
      query: async () => failure('PLAYER_NOT_FOUND'),
    },
    stores: {
      ...NO_STORES,
      async appleReceipt(_app, _environment, payload) {
        asked.push(payload);
        return store(payload);
      },
    },
    claims: createReceiptClaims(log, clock),
    clock,
    ids: systemIds,
    logger: silentLogger,
    metrics,
  });
  stops.push(stop);
  return { log, queue: createReceiptQueue({ log, clock, ids: systemIds }) };
}
const receipt = (n: number, some: object = {}) => ({
  ...SCOPE,
  playerId: 'p1',
  transactionId: `t${n}`,
  store: 'apple' as const,
  payload: `t${n}`,
  ...some,
});
const waiting = () => broker.stream('RECEIPTS').bounds().records;

describe('a receipt in the queue', () => {
  it('is decided once and leaves it', async () => {
    const { queue } = await start();
    expect(await queue.add(receipt(1))).toBe('taken');
    await clock.advance(1_000);
    expect(decided).toMatchObject([{ transactionId: 't1', verdict: { kind: 'verified', productId: 'gems' } }]);
    expect(waiting()).toBe(0);
  });

  it('is taken once when it is sent again at once', async () => {
    const { queue } = await start();
    for (let n = 0; n < 5; n += 1) await queue.add(receipt(1));
    await clock.advance(1_000);
    expect(asked).toEqual(['t1']);
  });

  it('is asked for again while the store does not answer, and rejected after three days', async () => {
    store = async () => SILENT;
    const { queue } = await start();
    await queue.add(receipt(1));
    await clock.advance(RECEIPT_LIMITS.triedMs - 60_000);
    expect(decided).toEqual([]);
    expect(asked.length).toBeGreaterThan(15);
    expect(asked.length).toBeLessThan(30);
    await clock.advance(5 * 3_600_000);
    expect(decided).toMatchObject([{ verdict: { kind: 'rejected', reason: 'store_unavailable' } }]);
    expect(waiting()).toBe(0);
  });

  it('is decided as soon as the store answers again', async () => {
    store = async () => SILENT;
    const { queue } = await start();
    await queue.add(receipt(1));
    await clock.advance(10_000);
    store = async (payload) => proven(payload);
    await clock.advance(60_000);
    expect(decided).toMatchObject([{ verdict: { kind: 'verified' } }]);
  });

  it('waits while its owner does not answer, and is dropped when its purchase is gone', async () => {
    reply = () => failure('SERVICE_UNAVAILABLE');
    const { queue } = await start();
    await queue.add(receipt(1));
    await clock.advance(1_000);
    expect([decided.length, waiting()]).toEqual([1, 1]);
    reply = () => failure('NOT_FOUND');
    await clock.advance(RECEIPT_LIMITS.deferMs);
    expect([decided.length, waiting()]).toEqual([2, 0]);
  });

  it('goes to another process when the one that has it dies', async () => {
    store = () => new Promise(() => {});
    const first = await start('first');
    await first.queue.add(receipt(1));
    await clock.advance(1_000);
    first.log.kill('lose');
    stops = [];
    store = async (payload) => proven(payload);
    await start('second');
    await clock.advance(RECEIPT_LIMITS.ackWaitMs + 60_000);
    expect(decided).toMatchObject([{ verdict: { kind: 'verified' } }]);
    expect(waiting()).toBe(0);
  });

  it('that no program of this version can read waits for another', async () => {
    const { log } = await start();
    await log.append('receipts.due.demo.live', Buffer.from('{"id":"new"}'));
    await clock.advance(600_000);
    expect([decided.length, waiting()]).toEqual([0, 1]);
  });
});

describe('while the broker does not answer', () => {
  it('no request waits for it', async () => {
    const { log, queue } = await start();
    log.disconnect();
    const added = queue.add(receipt(1));
    const held = createReceiptClaims(log, clock).holderOf({ ...SCOPE, store: 'apple', digest: 'd' });
    await clock.advance(10_000);
    expect([await added, await held]).toEqual(['unavailable', { kind: 'unavailable' }]);
    log.reconnect();
  });
});

describe('a game whose store hangs', () => {
  it('holds no receipt of another up', async () => {
    store = (payload) => (payload === 'slow' ? new Promise(() => {}) : Promise.resolve(proven(payload)));
    const { queue } = await start();
    for (let n = 0; n < 300; n += 1) await queue.add(receipt(n, { payload: 'slow' }));
    await queue.add(receipt(1_000, { game: 'other' }));
    await clock.advance(5_000);
    expect(decided).toMatchObject([{ game: 'other', transactionId: 't1000' }]);
    expect(asked.filter((payload) => payload === 'slow')).toHaveLength(RECEIPT_LIMITS.gameAttempts);
    stops = [];
  });

  it('fills its own places alone', async () => {
    store = async () => SILENT;
    const { queue } = await start();
    let outcome = 'taken';
    for (let n = 0; outcome === 'taken'; n += 1) outcome = await queue.add(receipt(n));
    expect(outcome).toBe('full');
    expect(waiting()).toBeLessThanOrEqual(RECEIPT_LIMITS.waitingOfGame);
    expect(await queue.add(receipt(1, { game: 'other' }))).toBe('taken');
  });
});

describe('a transaction', () => {
  it('is of the first player, also when two processes verify it at once', async () => {
    const [one, other] = [await start('one'), await start('other')];
    await Promise.all([
      one.queue.add(receipt(1)),
      other.queue.add(receipt(1, { playerId: 'p2' })),
      one.queue.add(receipt(1, { playerId: 'p3' })),
    ]);
    await clock.advance(5_000);
    const kinds = decided.map(({ verdict }) => (verdict.kind === 'rejected' ? verdict.reason : verdict.kind));
    expect(kinds.toSorted()).toEqual(['used_by_another_player', 'used_by_another_player', 'verified']);
  });
});
