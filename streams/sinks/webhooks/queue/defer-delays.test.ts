import { describe, expect, it } from 'vitest';
import { QUEUE_LIMITS } from './limits.ts';
import { createFakeClock } from '../../../../test/support/in-memory/fake-clock.ts';
import { createDeferDelays } from './defer-delays.ts';

function setUp(unresponsiveNames: readonly string[], others = 0, successesPerSecond = 0) {
  const clock = createFakeClock();
  const unresponsive = new Set(unresponsiveNames);
  const delays = createDeferDelays({
    clock,
    ids: { random: () => 1 },
    limiter: {
      get unresponsive() {
        return unresponsive.size + others;
      },
      isUnresponsive: (name) => unresponsive.has(name),
      successesPerSecond: () => successesPerSecond,
    },
  });
  return { clock, unresponsive, delayOf: (webhook: string, deferrals = 0) => delays.delayOf({ webhook, deferrals }) };
}

describe('a delivery without a slot', () => {
  it('is deferred for longer each time, up to a bound', () => {
    const { delayOf } = setUp([]);
    const delays = Array.from({ length: 10 }, (_, deferrals) => delayOf('healthy', deferrals));
    expect(delays.slice(0, 4)).toEqual([1_000, 2_000, 4_000, 8_000]);
    expect(delays.at(-1)).toBe(QUEUE_LIMITS.deliveryDeferMaxMs);
  });

  it('of an unresponsive receiver is deferred for longer from the first time on', () => {
    const { delayOf } = setUp(['unresponsive']);
    const delays = Array.from({ length: 4 }, (_, deferrals) => delayOf('unresponsive', deferrals));
    expect(delays).toEqual([10_000, 20_000, 40_000, QUEUE_LIMITS.deliveryDeferMaxMs]);
  });

  it('of an unresponsive receiver returns in its turn, so that the returns per second are bounded', () => {
    const { delayOf } = setUp(['unresponsive']);
    const total = 100 * QUEUE_LIMITS.deliveryDefersPerSecond;
    const returnsMs = Array.from({ length: total }, () => delayOf('unresponsive', 9));
    const perSecond = new Map<number, number>();
    for (const ms of returnsMs) {
      const second = Math.floor(ms / 1_000);
      perSecond.set(second, (perSecond.get(second) ?? 0) + 1);
    }
    const later = [...perSecond].filter(([second]) => second > QUEUE_LIMITS.deliveryDeferMaxMs / 1_000);
    expect(later.length).toBeGreaterThan(30);
    for (const [, count] of later) expect(count).toBeLessThanOrEqual(QUEUE_LIMITS.deliveryDefersPerSecond + 1);
    expect(Math.max(...returnsMs)).toBeLessThanOrEqual(101_000);
  });

  it('of a fast receiver returns about as fast as the receiver accepts deliveries', () => {
    const { delayOf } = setUp([], 0, 3_000);
    const returnsMs = Array.from({ length: 60_000 }, () => delayOf('healthy'));
    expect(returnsMs.at(-1)).toBe(10_000);
  });

  it('of a new receiver returns soon at first, and later with each deferral', () => {
    const { delayOf } = setUp([]);
    const soon = Array.from({ length: 20_000 }, () => delayOf('new'));
    expect(soon.at(-1)).toBe((20_000 * 1_000) / QUEUE_LIMITS.deliveryReturnsPerSecond);
    const slow = setUp([]);
    const later = Array.from({ length: 50_000 }, () => slow.delayOf('slow', 9));
    expect(later.at(-1)).toBe((50_000 * 1_000 * 10) / QUEUE_LIMITS.deliveryReturnsPerSecond);
  });

  it('shares that rate with other unresponsive receivers, and never waits longer than the bound', () => {
    const { delayOf } = setUp(['unresponsive'], 99);
    const returnsMs = Array.from({ length: 20_000 }, () => delayOf('unresponsive'));
    expect(returnsMs[1_000]).toBe((1_001 * 100 * 1_000) / QUEUE_LIMITS.deliveryDefersPerSecond);
    expect(returnsMs.at(-1)).toBe(QUEUE_LIMITS.deliverySpreadMs);
  });

  it('starts over once its receiver answers, or stops answering', () => {
    const { unresponsive, delayOf } = setUp(['unresponsive']);
    for (let i = 0; i < 10_000; i++) delayOf('unresponsive');
    expect(delayOf('unresponsive')).toBeGreaterThan(30_000);
    unresponsive.delete('unresponsive');
    expect(delayOf('unresponsive')).toBe(1_000);
    unresponsive.add('unresponsive');
    expect(delayOf('unresponsive')).toBe(10_000);
  });

  it('does not wait for turns whose time has passed', async () => {
    const { clock, delayOf } = setUp(['unresponsive']);
    for (let i = 0; i < 10_000; i++) delayOf('unresponsive');
    await clock.advance(60_000);
    expect(delayOf('unresponsive')).toBe(10_000);
  });
});
