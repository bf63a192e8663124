import { expect, it } from 'vitest';
import { LIMITS } from '../../../../src/kernel/limits.ts';
import { createFakeClock } from '../../../../test/support/fake-clock.ts';
import { dueSubject } from '../delivery/delivery.ts';
import { createDueQuota } from './due-quota.ts';

function setUp() {
  const clock = createFakeClock();
  const held = new Map<string, number>();
  const told = { room: 0, counts: 0 };
  const log = {
    async countBySubject() {
      told.counts += 1;
      return new Map(held);
    },
  };
  const room = createDueQuota({ log, clock, onQuota: () => (told.room += 1) });
  /** As many as may be due, each stored at once. */
  const fill = (game: string, sizeBytes = 500): number => {
    const delivery = { game, environment: 'live' as const, webhook: `wh_${game}` };
    const subject = dueSubject(delivery.webhook);
    let count = 0;
    while (room.has(delivery)) {
      room.add(delivery, sizeBytes)();
      held.set(subject, (held.get(subject) ?? 0) + 1);
      count += 1;
    }
    return count;
  };
  return { clock, held, told, fill };
}

it('a game may have a third of what can be handed out due, the next less, and there is always room for another', () => {
  const { fill } = setUp();
  const counts = ['a', 'b', 'c', 'd'].map((game) => fill(game));
  expect(counts[0]).toBe(Math.ceil(LIMITS.deliveriesHandedOut / 3));
  expect(counts).toEqual(counts.toSorted((one, other) => other - one));
  expect(counts[3]).toBeGreaterThan(100);
});

it('large deliveries are bounded by their bytes', () => {
  const { fill } = setUp();
  const size = 128 * 1024;
  expect(fill('a', size) * size).toBeLessThanOrEqual(LIMITS.deliveriesDueBytes / 3 + size);
});

it('a game that had no room has it once the broker says that what was due is gone', async () => {
  const { clock, held, told, fill } = setUp();
  fill('a');
  await clock.advance(LIMITS.deliveriesDueLookMs);
  expect(fill('a')).toBe(0);
  held.clear();
  await clock.advance(2 * LIMITS.deliveriesDueLookMs);
  expect(told.room).toBeGreaterThan(0);
  expect(fill('a')).toBeGreaterThan(600);
  // Nothing is counted for a game that has little due.
  held.clear();
  await clock.advance(1_000);
  const { counts } = told;
  await clock.advance(60_000);
  expect(told.counts).toBe(counts);
});
