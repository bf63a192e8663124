import { beforeEach, describe, expect, it } from 'vitest';
import { createFakeClock, type FakeClock } from '../../../../test/support/in-memory/fake-clock.ts';
import { createRateLimiter, type RateLimiter } from './rate-limiter.ts';

let clock: FakeClock;
let limiter: RateLimiter;
beforeEach(() => {
  clock = createFakeClock();
  limiter = createRateLimiter(clock);
});

/** The number of requests of `caller` before the first refusal, at most `most`. */
function takeUntilRefused(caller: string, most: number, limit = 1_000): number {
  for (let taken = 0; taken < most; taken++) if (!limiter.take('k', limit, caller).allowed) return taken;
  return most;
}

describe('callers that share a key', () => {
  it('allow a single caller the whole limit', () => {
    expect(takeUntilRefused('a', 2_000)).toBe(1_000);
  });

  it('are all allowed while the key has used less than half of its limit', () => {
    expect(takeUntilRefused('a', 400)).toBe(400);
    for (let i = 0; i < 100; i++) expect(limiter.take('k', 1_000, `player-${i}`).allowed).toBe(true);
  });

  it('keep most of the second half of the limit from a flooding caller', () => {
    for (let i = 0; i < 100; i++) for (let n = 0; n < 4; n++) limiter.take('k', 1_000, `player-${i}`);
    const flood = takeUntilRefused('flood', 10_000);
    expect(flood).toBeGreaterThan(100);
    expect(flood).toBeLessThan(200);
    for (let i = 0; i < 100; i++) expect(limiter.take('k', 1_000, `player-${i}`).allowed).toBe(true);
  });

  it('are not refused below the limit for a slightly higher rate than others', () => {
    for (let i = 0; i < 600; i++) expect(limiter.take('k', 1_000, `once-${i}`).allowed).toBe(true);
    for (let n = 0; n < 3; n++) {
      for (let i = 0; i < 50; i++) expect(limiter.take('k', 1_000, `thrice-${i}`).allowed, `${n}`).toBe(true);
    }
  });

  it('never get more than the limit together', () => {
    let allowed = 0;
    for (let i = 0; i < 5_000; i++) if (limiter.take('k', 1_000, `c-${i % 1_700}`).allowed) allowed += 1;
    expect(allowed).toBeLessThanOrEqual(1_000);
  });

  it('count a malformed request twice, against its caller only', () => {
    for (let i = 0; i < 50; i++) limiter.take('k', 1_000, `player-${i}`);
    let taken = 0;
    for (; taken < 2_000 && limiter.take('k', 1_000, 'broken').allowed; taken++) limiter.penalize('k', 'broken');
    expect(taken).toBeLessThan(600);
    // The key counts each of them once.
    expect(limiter.take('k', 1_000, 'player-1').remaining).toBe(1_000 - 50 - taken - 1);
  });

  it('get the time of the next allowed request', async () => {
    for (let i = 0; i < 100; i++) for (let n = 0; n < 4; n++) limiter.take('k', 1_000, `player-${i}`);
    takeUntilRefused('flood', 10_000);
    const refused = limiter.take('k', 1_000, 'flood');
    expect(refused).toMatchObject({ allowed: false, remaining: 0 });
    expect(refused.resetSeconds).toBeGreaterThan(0);
    expect(refused.resetSeconds).toBeLessThanOrEqual(120);
    await clock.advance(refused.resetSeconds * 1_000);
    expect(limiter.take('k', 1_000, 'flood').allowed).toBe(true);
  });

  it('share the part of the limit that other gateways left', () => {
    limiter.merge([['k', 0, 500]]);
    for (let i = 0; i < 10; i++) limiter.take('k', 1_000, `player-${i}`);
    const flood = takeUntilRefused('flood', 10_000);
    expect(flood).toBeLessThan(400);
    for (let i = 0; i < 10; i++) expect(limiter.take('k', 1_000, `player-${i}`).allowed).toBe(true);
  });

  it('are forgotten after two minutes', async () => {
    takeUntilRefused('a', 2_000);
    await clock.advance(180_000);
    limiter.sweep();
    expect(limiter.recent()).toEqual([]);
    expect(takeUntilRefused('a', 2_000)).toBe(1_000);
  });
});
