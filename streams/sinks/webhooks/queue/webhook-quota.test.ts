import { describe, expect, it } from 'vitest';
import { QUEUE_LIMITS } from './limits.ts';
import { createWebhooksWorld, levelOf, MINUTE_MS } from '../../../../test/support/in-memory/webhooks-world.ts';
import { aTrackedEvent, commit } from '../../testing-commits.ts';
import { aDelivery, aWebhook, answered } from '../testing-webhooks.ts';
import { scheduledSubject, scheduledSubjects, SIZE_CLASSES } from '../record/delivery.ts';
import { createWebhookQuota } from './webhook-quota.ts';
import { subjectMatches } from '../../../log/subject-match.ts';
import { createFakeClock } from '../../../../test/support/in-memory/fake-clock.ts';

it('a webhook past its bound overflows and delays no other webhook; a recovery delivers the rest', async () => {
  const { clock, writer, config, process, operations, entry, metrics, logged, waiting, resolved } = createWebhooksWorld(
    {
      pendingPerWebhook: 10,
    },
  );
  config.set(aWebhook({ id: 'failing' }));
  config.set(aWebhook({ id: 'healthy' }));
  const { sender } = process('sink');
  let isFailing = true;
  sender.answer = ({ body }) => answered(isFailing && body.metadata.webhook_id === 'failing' ? 500 : 200);
  const total = 60;
  for (let level = 0; level < total; level++) {
    const event = aTrackedEvent({ eventId: `e${level}`, properties: `{"level":${level}}` });
    await commit(writer, [event], { configRevision: 2 });
    await clock.advance(QUEUE_LIMITS.deliveriesPendingCountMs / 2);
    const ofHealthy = sender.attempts.filter(({ body }) => body.metadata.webhook_id === 'healthy');
    expect(ofHealthy).toHaveLength(level + 1);
    // Until the next count as many again may be queued.
    expect(waiting()).toBeLessThanOrEqual(2 * 10);
  }
  const overflowed = logged().filter(({ outcome }) => outcome === 'overflowed');
  expect(overflowed.length).toBeGreaterThan(20);
  expect(new Set(overflowed.map(({ webhook }) => webhook))).toEqual(new Set(['failing']));
  const { values } = await metrics.deliveriesOverflowed.get();
  expect(values[0]?.value).toBe(overflowed.length);

  isFailing = false;
  const failing = entry('failing');
  if (failing === undefined) throw new Error('the webhook does not exist');
  await resolved(operations().recover(failing, 0));
  await clock.advance(10 * MINUTE_MS);
  const taken = sender.attempts.filter(({ body }) => body.metadata.webhook_id === 'failing');
  expect(new Set(taken.map(({ body }) => levelOf(body.data))).size).toBe(total);
  expect(new Set(taken.map(({ body }) => body.id)).size).toBe(total);
});

const KIB = 1024;
const MIB = KIB * KIB;
const LIMIT = 4_096 * MIB;

/** A quota over a broker that holds every accepted delivery until the test ends it. */
function setUp() {
  const clock = createFakeClock();
  /** Per subject without its last token (which is unique per delivery): number of deliveries, and their bytes. */
  const held = new Map<string, { count: number; bytes: number }>();
  const broker = { otherBytes: 0, counts: 0 };
  const heldOf = (pattern: string) => [...held].filter(([key]) => subjectMatches(pattern, key)).map(([, one]) => one);
  const total = () => heldOf('>').reduce((sum, { bytes }) => sum + bytes, broker.otherBytes);
  const log = {
    async info() {
      return { created: '', firstSequence: 1, lastSequence: 0, records: 0, sizeBytes: total(), maxBytes: LIMIT };
    },
    async countSubjects(_: string, pattern: string) {
      broker.counts += 1;
      return heldOf(pattern.replace(/\.\*$/, '')).reduce((sum, { count }) => sum + count, 0);
    },
  };
  const quota = createWebhookQuota({ log, clock, limitBytes: LIMIT, most: 50_000, share: 20_000 });
  /** Offers so many deliveries and returns how many were accepted. */
  async function offer(game: string, webhook: string, sizeBytes: number, times: number): Promise<number> {
    const delivery = aDelivery({ game, webhook });
    const key = scheduledSubject(delivery, sizeBytes).replace(/\.[^.]*$/, '');
    const one = held.get(key) ?? { count: 0, bytes: 0 };
    held.set(key, one);
    for (let taken = 0; taken < times; taken++) {
      if (!(await quota.take(delivery, sizeBytes))) return taken;
      one.count += 1;
      one.bytes += sizeBytes;
    }
    return times;
  }
  /** Ends all but `left` deliveries of a webhook. */
  function end(webhook: string, left = 0): void {
    for (const [key, one] of held) {
      if (!key.endsWith(`.${webhook}`)) continue;
      one.bytes *= left / one.count;
      one.count = left;
    }
  }
  const bytesOf = (game: string) => {
    const tokens = SIZE_CLASSES.map((_, size) =>
      scheduledSubjects({ game, environment: 'live' }, size).replace(/\.\*$/, ''),
    );
    return tokens.flatMap(heldOf).reduce((sum, { bytes }) => sum + bytes, 0);
  };
  return { clock, broker, offer, end, total, bytesOf };
}

describe('the quota of waiting deliveries', () => {
  it('a webhook may have many waiting deliveries, fewer once half of the bytes are used; counts are rare', async () => {
    const { clock, broker, offer, end } = setUp();
    expect(await offer('demo', 'wh_1', 100, 60_000)).toBe(50_000);
    expect(broker.counts).toBeLessThan(20 * SIZE_CLASSES.length);
    const { counts } = broker;
    expect(await offer('demo', 'wh_1', 100, 1)).toBe(0);
    expect(broker.counts).toBe(counts);
    end('wh_1', 10_000);
    broker.otherBytes = LIMIT / 2 + 1;
    await clock.advance(QUEUE_LIMITS.deliveriesPendingCountMs);
    expect(await offer('demo', 'wh_1', 100, 60_000)).toBe(10_000);
  });

  it('a webhook gets a quarter of the free bytes, a game half: one game leaves most to others', async () => {
    const { offer, total, bytesOf } = setUp();
    await offer('attacker', 'wh_0', 64 * KIB, 100_000);
    expect(total() / LIMIT).toBeGreaterThan(0.19);
    expect(total() / LIMIT).toBeLessThan(0.21);
    for (let i = 1; i < 90; i++) await offer('attacker', `wh_${i}`, 64 * KIB, 100_000);
    // A third of the bytes, and the reserve of each webhook.
    expect(bytesOf('attacker') / LIMIT).toBeLessThan(0.38);
    expect(await offer('other', 'wh_other', 64 * KIB, 1_000)).toBe(1_000);
  });

  it('eight games at their maximum do not fill the stream', async () => {
    const { offer, total, bytesOf } = setUp();
    for (let round = 0; round < 3; round++) {
      for (let game = 0; game < 8; game++) {
        for (let i = 0; i < 20; i++) await offer(`g${game}`, `wh_${game}_${i}`, 256 * KIB, 400);
      }
    }
    // Each game leaves two thirds of what it found free: (2/3)^8 in the end.
    expect(total() / LIMIT).toBeLessThan(0.97);
    expect(bytesOf('g7') / LIMIT).toBeGreaterThan(0.01);
  });

  it('in a game that has used up its bytes, a webhook with a healthy receiver loses nothing', async () => {
    const { offer, end } = setUp();
    for (let i = 0; i < 20; i++) await offer('demo', `dead_${i}`, 256 * KIB, 5_000);
    expect(await offer('demo', 'dead_0', 256 * KIB, 1)).toBe(0);
    for (let i = 0; i < 200; i++) {
      expect(await offer('demo', 'healthy', 64 * KIB, 1)).toBe(1);
      end('healthy');
    }
  });
});
