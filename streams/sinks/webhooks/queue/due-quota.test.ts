import { expect, it } from 'vitest';
import { QUEUE_LIMITS } from './limits.ts';
import { createFakeClock } from '../../../../test/support/in-memory/fake-clock.ts';
import { dueSubject } from '../record/delivery.ts';
import { createDueQuota } from './due-quota.ts';

function setUp() {
  const clock = createFakeClock();
  const held = new Map<string, number>();
  const calls = { onQuota: 0, counts: 0 };
  const log = {
    async countBySubject() {
      calls.counts += 1;
      return new Map(held);
    },
  };
  const quota = createDueQuota({ log, clock, onQuota: () => (calls.onQuota += 1) });
  /** Adds as many due deliveries as the quota allows, each stored at once, and returns their number. */
  const fill = (game: string, sizeBytes = 500): number => {
    const delivery = { game, environment: 'live' as const, webhook: `wh_${game}` };
    const subject = dueSubject(delivery.webhook);
    let count = 0;
    while (quota.has(delivery)) {
      quota.add(delivery, sizeBytes)();
      held.set(subject, (held.get(subject) ?? 0) + 1);
      count += 1;
    }
    return count;
  };
  return { clock, held, calls, fill };
}

it('the first game gets a third of the quota, each further game less, and there is always some left for another', () => {
  const { fill } = setUp();
  const counts = ['a', 'b', 'c', 'd'].map((game) => fill(game));
  expect(counts[0]).toBe(Math.ceil(QUEUE_LIMITS.deliveriesHandedOut / 3));
  expect(counts).toEqual(counts.toSorted((one, other) => other - one));
  expect(counts[3]).toBeGreaterThan(100);
});

it('the quota also bounds the bytes of large deliveries', () => {
  const { fill } = setUp();
  const size = 128 * 1024;
  expect(fill('a', size) * size).toBeLessThanOrEqual(QUEUE_LIMITS.deliveriesDueBytes / 3 + size);
});

it('a game with a used-up quota gets it back once the broker’s count shows that its deliveries are gone', async () => {
  const { clock, held, calls, fill } = setUp();
  fill('a');
  await clock.advance(QUEUE_LIMITS.deliveriesDueCountMs);
  expect(fill('a')).toBe(0);
  held.clear();
  await clock.advance(2 * QUEUE_LIMITS.deliveriesDueCountMs);
  expect(calls.onQuota).toBeGreaterThan(0);
  expect(fill('a')).toBeGreaterThan(600);
  // A game with few due deliveries causes no counts.
  held.clear();
  await clock.advance(1_000);
  const { counts } = calls;
  await clock.advance(60_000);
  expect(calls.counts).toBe(counts);
});
