import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../../test/support/in-memory/fake-clock.ts';
import { FLOW_LIMITS } from './limits.ts';
import { createCommandPace } from './command-pace.ts';

const SLOW_MS = FLOW_LIMITS.bulkSlowMs + 10;

function setUp(mostInFlight = 8) {
  const clock = createFakeClock();
  const pace = createCommandPace({ clock, mostInFlight });
  /** Takes turns while there are any. */
  const takeAll = (): number => {
    let taken = 0;
    while (pace.tryTurn()) taken += 1;
    return taken;
  };
  return { clock, pace, takeAll };
}

describe('the pace of work in bulk', () => {
  it('begins with one command, and has more in flight while replies are fast, up to a bound', () => {
    const { pace, takeAll } = setUp(3);
    expect(takeAll()).toBe(1);
    for (let reply = 0; reply < 20; reply++) {
      pace.answered(1);
      takeAll();
    }
    for (let left = 0; left < 3; left++) pace.lost();
    expect(takeAll()).toBe(1);
  });

  it('halves after a slow reply, and rests if a single command is slow', async () => {
    const { clock, pace, takeAll } = setUp();
    takeAll();
    pace.answered(1);
    expect(takeAll()).toBe(2);
    pace.answered(SLOW_MS);
    pace.answered(SLOW_MS);
    expect(takeAll()).toBe(0);
    await clock.advance(19);
    expect(takeAll()).toBe(0);
    await clock.advance(1);
    expect(takeAll()).toBe(1);
    pace.answered(100_000);
    await clock.advance(FLOW_LIMITS.bulkRestMs);
    expect(takeAll()).toBe(1);
    expect(clock.timers).toBe(0);
  });

  it('of work that must end in time keeps some commands in flight and never rests', () => {
    const clock = createFakeClock();
    const pace = createCommandPace({ clock, mostInFlight: 8, leastInFlight: 2, mostRestMs: 0 });
    const takeAll = (): number => {
      let taken = 0;
      while (pace.tryTurn()) taken += 1;
      return taken;
    };
    expect(takeAll()).toBe(2);
    for (let reply = 0; reply < 4; reply++) {
      pace.answered(SLOW_MS);
      expect(takeAll()).toBe(1);
    }
    pace.lost();
    expect(takeAll()).toBe(1);
    expect(clock.timers).toBe(0);
  });

  it('gives turns in the order in which they were asked for', async () => {
    const { clock, pace } = setUp(1);
    const order: string[] = [];
    for (const name of ['a', 'b', 'c']) void pace.turn().then(() => order.push(name));
    await clock.flush();
    expect(order).toEqual(['a']);
    expect(pace.tryTurn()).toBe(false);
    pace.answered(1);
    pace.answered(1);
    await clock.flush();
    expect(order).toEqual(['a', 'b', 'c']);
  });
});
