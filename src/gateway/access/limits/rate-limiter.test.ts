import { array, assert, boolean, integer, property, tuple } from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { createFakeClock, type FakeClock } from '../../../../test/support/in-memory/fake-clock.ts';
import { createRateLimiter, type RateLimiter } from './rate-limiter.ts';

let clock: FakeClock;
let limiter: RateLimiter;
beforeEach(() => {
  clock = createFakeClock();
  limiter = createRateLimiter(clock);
});

const take = (times: number, limit = 10) => Array.from({ length: times }, () => limiter.take('k', limit));

describe('a rate limiter', () => {
  it('allows requests up to the limit and refuses further ones', () => {
    const verdicts = take(12);
    expect(verdicts.map(({ allowed }) => allowed)).toEqual([...Array(10).fill(true), false, false]);
    expect(verdicts.map(({ remaining }) => remaining)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0, 0]);
    expect(limiter.take('other', 10).allowed).toBe(true);
  });

  it('counts against several limits at once or against none, and keeps nothing of those it refuses', async () => {
    const tryFrom = (network: string) =>
      limiter.takeAll([
        [`network ${network}`, 2],
        ['all', 10],
      ]);
    expect([tryFrom('a'), tryFrom('a'), tryFrom('a')]).toEqual([true, true, false]);
    for (let n = 0; n < 10_000; n += 1) tryFrom(`n${n}`);
    const counted = new Set(limiter.recent().map(([key]) => key));
    // Ten tries: two of network a, and one each of eight others.
    expect(counted.size).toBe(1 + 1 + 8);
    expect(limiter.size).toBe(10);
    await clock.advance(61_000);
    limiter.drain();
    limiter.sweep();
    expect(limiter.size).toBe(0);
    expect(tryFrom('n9999')).toBe(true);
  });

  it('allows a request at the time it gave', async () => {
    await clock.advance(300);
    take(4);
    await clock.advance(10_000);
    take(6);
    const refused = limiter.take('k', 10);
    expect(refused).toEqual({ allowed: false, limit: 10, remaining: 0, resetSeconds: 51 });
    await clock.advance(49_000);
    expect(limiter.take('k', 10).allowed).toBe(false);
    await clock.advance(2_000);
    expect(take(5).map(({ allowed }) => allowed)).toEqual([true, true, true, true, false]);
  });

  it('allows the full limit after an idle minute', async () => {
    take(10);
    await clock.advance(61_000);
    expect(limiter.take('k', 10).remaining).toBe(9);
    await clock.advance(3_600_000);
    expect(limiter.take('k', 10).remaining).toBe(9);
  });

  it('ignores jumps of the wall clock', () => {
    take(10);
    clock.jumpWall(-3_600_000);
    expect(limiter.take('k', 10).allowed).toBe(false);
    clock.jumpWall(7_200_000);
    expect(limiter.take('k', 10).allowed).toBe(false);
  });

  it('allows no more than the limit in any 60 seconds, and never refuses below it in 61', async () => {
    const steps = array(tuple(integer({ min: 0, max: 20_000 }), integer({ min: 1, max: 8 })), { maxLength: 40 });
    assert(
      property(steps, (sequence) => {
        let nowMs = 0;
        const subject = createRateLimiter({ ...clock, monotonicMs: () => nowMs });
        const allowedAt: number[] = [];
        const within = (windowMs: number) => allowedAt.filter((atMs) => atMs > nowMs - windowMs).length;
        for (const [waitMs, requests] of sequence) {
          nowMs += waitMs;
          for (let n = 0; n < requests; n++) {
            const verdict = subject.take('k', 10);
            if (verdict.allowed) allowedAt.push(nowMs);
            else expect(within(61_000)).toBeGreaterThanOrEqual(10);
            expect(within(60_000)).toBeLessThanOrEqual(10);
          }
        }
      }),
    );
  });
});

describe('limiters that exchange counts', () => {
  it('act as one limiter', async () => {
    const other = createRateLimiter(clock);
    take(6);
    other.merge(limiter.drain());
    expect(limiter.drain()).toEqual([]);
    expect(other.take('k', 10).remaining).toBe(3);
    limiter.merge(other.drain());
    expect(limiter.take('k', 10).remaining).toBe(2);
    await clock.advance(61_000);
    expect(other.take('k', 10).remaining).toBe(9);
  });

  it('send a new limiter their own counts, each second with its age', async () => {
    const [one, two, three] = [limiter, createRateLimiter(clock), createRateLimiter(clock)];
    one.take('k', 10);
    one.take('k', 10);
    await clock.advance(5_000);
    one.take('k', 10);
    two.merge(one.drain());
    two.take('k', 10);
    expect(one.recent()).toEqual([
      ['k', 5, 2],
      ['k', 0, 1],
    ]);
    three.merge(one.recent());
    three.merge(two.recent());
    expect(three.take('k', 10).remaining).toBe(5);
    await clock.advance(56_000);
    expect(three.take('k', 10).remaining).toBe(6);
  });

  it('ignore invalid counts', () => {
    limiter.merge([
      ['k', -1, 5],
      ['k', 61, 5],
      ['k', 0, -5],
    ]);
    expect(limiter.take('k', 10).remaining).toBe(9);
  });

  it('forget exactly the idle keys', async () => {
    assert(
      property(boolean(), (active) => {
        let nowMs = 100_000;
        const subject = createRateLimiter({ ...clock, monotonicMs: () => nowMs });
        subject.take('k', 10);
        subject.drain();
        nowMs += active ? 30_000 : 61_000;
        subject.sweep();
        expect(subject.take('k', 10).remaining).toBe(active ? 8 : 9);
      }),
    );
  });
});
