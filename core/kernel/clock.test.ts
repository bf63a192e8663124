import { expect, it } from 'vitest';
import { createFakeClock } from '../../test/support/in-memory/fake-clock.ts';
import { nextTick, systemClock } from './clock.ts';

it('timers that repeat with the same period fire at the same moments, at most a tenth later than the period', () => {
  for (const periodMs of [200, 500, 1_000, 2_000]) {
    const before = performance.timeOrigin + performance.now();
    const delayMs = systemClock.untilTickMs?.(periodMs) ?? 0;
    const after = performance.timeOrigin + performance.now();
    expect(delayMs).toBeGreaterThanOrEqual(periodMs / 10);
    expect(delayMs).toBeLessThanOrEqual(periodMs * 1.1 + 1);
    const tick = Math.floor((after + delayMs) / periodMs) * periodMs;
    expect(tick).toBeGreaterThanOrEqual(before + delayMs - 1 - (after - before));
  }
});

it('a clock without common moments repeats after the period', async () => {
  const clock = createFakeClock();
  const fired: number[] = [];
  await clock.advance(300);
  nextTick(clock, 1_000, () => fired.push(clock.monotonicMs()));
  const dueMs = clock.monotonicMs() + 1_000;
  await clock.advance(2_000);
  expect(fired).toEqual([dueMs]);
});
