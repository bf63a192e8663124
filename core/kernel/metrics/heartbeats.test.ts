import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../../test/support/in-memory/fake-clock.ts';
import type { Clock } from '../clock.ts';
import { METRICS_LIMITS } from './limits.ts';
import { createHeartbeats } from './heartbeats.ts';

function setUp(intervalMs = 30_000) {
  const clock = createFakeClock();
  const beats: [who: string, atMs: number][] = [];
  /** Heartbeats in each turn of the event loop that had some. */
  const turns: number[] = [];
  const turning: Clock = {
    wallMs: () => clock.wallMs(),
    monotonicMs: () => clock.monotonicMs(),
    timer: (delayMs, fn) =>
      clock.timer(delayMs, () => {
        const before = beats.length;
        fn();
        turns.push(beats.length - before);
      }),
  };
  const heartbeats = createHeartbeats<string>({
    clock: turning,
    intervalMs,
    beat: (who) => void beats.push([who, clock.monotonicMs()]),
  });
  return { clock, beats, turns, heartbeats };
}

describe('heartbeats', () => {
  it('reach every member at the interval, counted from when it was added', async () => {
    const { clock, beats, heartbeats } = setUp();
    heartbeats.add('a');
    await clock.advance(7_000);
    heartbeats.add('b');
    await clock.advance(80_000);
    expect(beats).toEqual([
      ['a', 30_000],
      ['b', 37_000],
      ['a', 60_000],
      ['b', 67_000],
    ]);
  });

  it('do not reach members that left, and leave no timer without members', async () => {
    const { clock, beats, heartbeats } = setUp();
    heartbeats.add('a');
    heartbeats.add('b');
    await clock.advance(10_000);
    heartbeats.remove('a');
    await clock.advance(25_000);
    expect(beats).toEqual([['b', 30_000]]);
    heartbeats.remove('b');
    await clock.advance(60_000);
    expect(clock.timers).toBe(0);
    heartbeats.add('c');
    await clock.advance(30_000);
    expect(beats.at(-1)).toEqual(['c', 125_000]);
  });

  it('of many members added together are spread over turns of the event loop, all on time', async () => {
    const { clock, beats, turns, heartbeats } = setUp();
    const everybody = Array.from({ length: METRICS_LIMITS.streamBeatsAtOnce * 3 + 1 }, (_, i) => `reader ${i}`);
    for (const who of everybody) heartbeats.add(who);
    await clock.advance(30_000);
    expect(beats).toEqual(everybody.map((who) => [who, 30_000]));
    expect(turns).toHaveLength(4);
    expect(Math.max(...turns)).toBeLessThanOrEqual(METRICS_LIMITS.streamBeatsAtOnce);
    await clock.advance(30_000);
    expect(beats.slice(everybody.length)).toEqual(everybody.map((who) => [who, 60_000]));
  });

  it('stop, also from within a callback', async () => {
    const clock = createFakeClock();
    let beats = 0;
    const heartbeats = createHeartbeats<string>({
      clock,
      intervalMs: 1_000,
      beat() {
        beats += 1;
        heartbeats.stop();
      },
    });
    heartbeats.add('a');
    await clock.advance(5_000);
    expect(beats).toBe(1);
    expect(clock.timers).toBe(0);
  });

  it('may end another one that is due in the same turn', async () => {
    const clock = createFakeClock();
    const beats: string[] = [];
    const heartbeats = createHeartbeats<string>({
      clock,
      intervalMs: 1_000,
      beat(who) {
        beats.push(who);
        heartbeats.remove('b');
      },
    });
    heartbeats.add('a');
    heartbeats.add('b');
    await clock.advance(2_500);
    expect(beats).toEqual(['a', 'a']);
  });
});
