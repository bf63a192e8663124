import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../../src/kernel/limits.ts';
import { createWebhooksWorld, levelOf, MINUTE_MS } from '../../../../test/support/webhooks-world.ts';
import { aTrackedEvent, commit } from '../../testing.ts';
import { aDelivery, aWebhook, answered } from '../testing.ts';
import { scheduledSubject, scheduledSubjects, SIZE_CLASSES } from '../delivery/delivery.ts';
import { createWebhookQuota } from './webhook-quota.ts';
import { subjectMatches } from '../../../log/subject-match.ts';
import { createFakeClock } from '../../../../test/support/fake-clock.ts';

it('past its bound a webhook overflows, is told so, and holds up nobody; a recovery makes up for it', async () => {
  const { clock, writer, config, process, operations, entry, metrics, logged, waiting, settled } = createWebhooksWorld({
    pendingPerWebhook: 10,
  });
  config.set(aWebhook({ id: 'sick' }));
  config.set(aWebhook({ id: 'well' }));
  const { sender } = process('sink');
  let isSick = true;
  sender.answer = ({ body }) => answered(isSick && body.metadata.webhook_id === 'sick' ? 500 : 200);
  const total = 60;
  for (let level = 0; level < total; level++) {
    const event = aTrackedEvent({ eventId: `e${level}`, properties: `{"level":${level}}` });
    await commit(writer, [event], { configRevision: 2 });
    await clock.advance(LIMITS.deliveriesPendingLookMs / 2);
    const ofWell = sender.attempts.filter(({ body }) => body.metadata.webhook_id === 'well');
    expect(ofWell).toHaveLength(level + 1);
    // As many as were let through before what waits was counted again may come on top.
    expect(waiting()).toBeLessThanOrEqual(2 * 10);
  }
  const overflowed = logged().filter(({ outcome }) => outcome === 'overflowed');
  expect(overflowed.length).toBeGreaterThan(20);
  expect(new Set(overflowed.map(({ webhook }) => webhook))).toEqual(new Set(['sick']));
  const { values } = await metrics.deliveriesOverflowed.get();
  expect(values[0]?.value).toBe(overflowed.length);

  isSick = false;
  const sick = entry('sick');
  if (sick === undefined) throw new Error('the webhook is gone');
  await settled(operations().recover(sick, 0));
  await clock.advance(10 * MINUTE_MS);
  const taken = sender.attempts.filter(({ body }) => body.metadata.webhook_id === 'sick');
  expect(new Set(taken.map(({ body }) => levelOf(body.data))).size).toBe(total);
  expect(new Set(taken.map(({ body }) => body.id)).size).toBe(total);
});

const KIB = 1024;
const MIB = KIB * KIB;
const LIMIT = 4_096 * MIB;

/** A broker that holds what a room lets through, unless a test ends it. */
function setUp() {
  const clock = createFakeClock();
  /** Subjects but for their last part, of which there is one per delivery: how many there are, and their bytes. */
  const held = new Map<string, { count: number; bytes: number }>();
  const broker = { otherBytes: 0, counts: 0 };
  const heldOf = (pattern: string) => [...held].filter(([key]) => subjectMatches(pattern, key)).map(([, one]) => one);
  const total = () => heldOf('>').reduce((sum, { bytes }) => sum + bytes, broker.otherBytes);
  const log = {
    async info() {
      return { created: '', firstSequence: 1, lastSequence: 0, records: 0, sizeBytes: total() };
    },
    async countSubjects(_: string, pattern: string) {
      broker.counts += 1;
      return heldOf(pattern.replace(/\.\*$/, '')).reduce((sum, { count }) => sum + count, 0);
    },
  };
  const room = createWebhookQuota({ log, clock, limitBytes: LIMIT, most: 50_000, share: 20_000 });
  /** Offers so many deliveries; answers how many were let through. */
  async function offer(game: string, webhook: string, sizeBytes: number, times: number): Promise<number> {
    const delivery = aDelivery({ game, webhook });
    const key = scheduledSubject(delivery, sizeBytes).replace(/\.[^.]*$/, '');
    const one = held.get(key) ?? { count: 0, bytes: 0 };
    held.set(key, one);
    for (let taken = 0; taken < times; taken++) {
      if (!(await room.take(delivery, sizeBytes))) return taken;
      one.count += 1;
      one.bytes += sizeBytes;
    }
    return times;
  }
  /** Ends all deliveries of a webhook but for so many. */
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

describe('room for what waits', () => {
  it('a webhook may have many places while there is plenty of room, and its share once half is taken; both are counted seldom', async () => {
    const { clock, broker, offer, end } = setUp();
    expect(await offer('demo', 'wh_1', 100, 60_000)).toBe(50_000);
    expect(broker.counts).toBeLessThan(20 * SIZE_CLASSES.length);
    const { counts } = broker;
    expect(await offer('demo', 'wh_1', 100, 1)).toBe(0);
    expect(broker.counts).toBe(counts);
    end('wh_1', 10_000);
    broker.otherBytes = LIMIT / 2 + 1;
    await clock.advance(LIMITS.deliveriesPendingLookMs);
    expect(await offer('demo', 'wh_1', 100, 60_000)).toBe(10_000);
  });

  it('a webhook has a quarter of the free bytes at most, and a game half: many dead receivers of one game leave most to others', async () => {
    const { offer, total, bytesOf } = setUp();
    await offer('attacker', 'wh_0', 64 * KIB, 100_000);
    expect(total() / LIMIT).toBeGreaterThan(0.19);
    expect(total() / LIMIT).toBeLessThan(0.21);
    for (let i = 1; i < 90; i++) await offer('attacker', `wh_${i}`, 64 * KIB, 100_000);
    // A third, and the reserve of each webhook.
    expect(bytesOf('attacker') / LIMIT).toBeLessThan(0.38);
    expect(await offer('other', 'wh_other', 64 * KIB, 1_000)).toBe(1_000);
  });

  it('eight games that take all they can do not fill the room', async () => {
    const { offer, total, bytesOf } = setUp();
    for (let round = 0; round < 3; round++) {
      for (let game = 0; game < 8; game++) {
        for (let i = 0; i < 20; i++) await offer(`g${game}`, `wh_${game}_${i}`, 256 * KIB, 400);
      }
    }
    // Each leaves two thirds of what it found free, and that is (2/3)^8.
    expect(total() / LIMIT).toBeLessThan(0.97);
    expect(bytesOf('g7') / LIMIT).toBeGreaterThan(0.01);
  });

  it('in a game that has its bytes, a webhook whose receiver answers loses nothing', async () => {
    const { offer, end } = setUp();
    for (let i = 0; i < 20; i++) await offer('demo', `dead_${i}`, 256 * KIB, 5_000);
    expect(await offer('demo', 'dead_0', 256 * KIB, 1)).toBe(0);
    for (let i = 0; i < 200; i++) {
      expect(await offer('demo', 'well', 64 * KIB, 1)).toBe(1);
      end('well');
    }
  });
});
