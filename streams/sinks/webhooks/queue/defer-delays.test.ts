import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../../src/kernel/limits.ts';
import { createFakeClock } from '../../../../test/support/fake-clock.ts';
import { createDeferDelays } from './defer-delays.ts';

function setUp(hangingNames: readonly string[], others = 0, pace = 0) {
  const clock = createFakeClock();
  const hanging = new Set(hangingNames);
  const delays = createDeferDelays({
    clock,
    ids: { random: () => 1 },
    lanes: {
      get hanging() {
        return hanging.size + others;
      },
      isHanging: (name) => hanging.has(name),
      paceOf: () => pace,
    },
  });
  return { clock, hanging, delayOf: (webhook: string, deferrals = 0) => delays.delayOf({ webhook, deferrals }) };
}

describe('a delivery that found no place', () => {
  it('is put off for longer each time, up to a bound', () => {
    const { delayOf } = setUp([]);
    const delays = Array.from({ length: 10 }, (_, deferrals) => delayOf('well', deferrals));
    expect(delays.slice(0, 4)).toEqual([1_000, 2_000, 4_000, 8_000]);
    expect(delays.at(-1)).toBe(LIMITS.deliveryDeferMaxMs);
  });

  it('of a receiver without an answer is put off for longer from the first time on', () => {
    const { delayOf } = setUp(['sick']);
    const delays = Array.from({ length: 4 }, (_, deferrals) => delayOf('sick', deferrals));
    expect(delays).toEqual([10_000, 20_000, 40_000, LIMITS.deliveryDeferMaxMs]);
  });

  it('of a receiver without an answer comes back in its turn, so that together they come back only so often', () => {
    const { delayOf } = setUp(['sick']);
    const total = 100 * LIMITS.deliveryDefersPerSecond;
    const backMs = Array.from({ length: total }, () => delayOf('sick', 9));
    const perSecond = new Map<number, number>();
    for (const ms of backMs) {
      const second = Math.floor(ms / 1_000);
      perSecond.set(second, (perSecond.get(second) ?? 0) + 1);
    }
    const later = [...perSecond].filter(([second]) => second > LIMITS.deliveryDeferMaxMs / 1_000);
    expect(later.length).toBeGreaterThan(30);
    for (const [, count] of later) expect(count).toBeLessThanOrEqual(LIMITS.deliveryDefersPerSecond + 1);
    expect(Math.max(...backMs)).toBeLessThanOrEqual(101_000);
  });

  it('of a receiver that takes many comes back about as fast', () => {
    const { delayOf } = setUp([], 0, 3_000);
    const backMs = Array.from({ length: 60_000 }, () => delayOf('well'));
    expect(backMs.at(-1)).toBe(10_000);
  });

  it('of a receiver that is new is taken to be welcome soon, and the less so the more often it had no place', () => {
    const { delayOf } = setUp([]);
    const soon = Array.from({ length: 20_000 }, () => delayOf('new'));
    expect(soon.at(-1)).toBe((20_000 * 1_000) / LIMITS.deliveryReturnsPerSecond);
    const slow = setUp([]);
    const later = Array.from({ length: 50_000 }, () => slow.delayOf('slow', 9));
    expect(later.at(-1)).toBe((50_000 * 1_000 * 10) / LIMITS.deliveryReturnsPerSecond);
  });

  it('shares that with other such receivers, and never waits for hours', () => {
    const { delayOf } = setUp(['sick'], 99);
    const backMs = Array.from({ length: 20_000 }, () => delayOf('sick'));
    expect(backMs[1_000]).toBe((1_001 * 100 * 1_000) / LIMITS.deliveryDefersPerSecond);
    expect(backMs.at(-1)).toBe(LIMITS.deliverySpreadMs);
  });

  it('is free of what came before once its receiver answers', () => {
    const { hanging, delayOf } = setUp(['sick']);
    for (let i = 0; i < 10_000; i++) delayOf('sick');
    expect(delayOf('sick')).toBeGreaterThan(30_000);
    hanging.delete('sick');
    expect(delayOf('sick')).toBe(1_000);
    hanging.add('sick');
    expect(delayOf('sick')).toBe(10_000);
  });

  it('does not wait longer as time passes and nothing comes', async () => {
    const { clock, delayOf } = setUp(['sick']);
    for (let i = 0; i < 10_000; i++) delayOf('sick');
    await clock.advance(60_000);
    expect(delayOf('sick')).toBe(10_000);
  });
});
