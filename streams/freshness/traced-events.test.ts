import { describe, expect, it } from 'vitest';
import { createTracedEvents } from './traced-events.ts';

/** Traced events on a clock that the test sets. */
function world() {
  const clock = { now: 10_000, wallMs: () => clock.now, monotonicMs: () => clock.now };
  const delays: number[] = [];
  let newest = 0;
  const traced = createTracedEvents({
    clock,
    onDelay: (delayMs) => void delays.push(delayMs),
    onNewest: (ms) => {
      newest = ms;
    },
    limits: { freshnessEveryMs: 1_000, freshnessPending: 2 },
  });
  return { clock, delays, traced, newest: () => newest };
}

describe('traced events', () => {
  it('follow the first event of each second until its record has passed', () => {
    const { clock, delays, traced, newest } = world();
    traced.read(1, 10_000);
    traced.read(2, 10_400);
    traced.read(3, 11_100);
    clock.now = 11_500;
    traced.passed(2);
    expect(delays).toEqual([1_500]);
    expect(newest()).toBe(0);
    traced.passed(3);
    expect(delays).toEqual([1_500, 400]);
    expect(newest()).toBe(11_100);
  });

  it('trace at most one event a second that is older than the last one', () => {
    const { clock, delays, traced } = world();
    traced.arrived(9_000);
    for (let time = 0; time < 8_000; time += 500) traced.arrived(time);
    expect(delays).toEqual([1_000]);
    clock.now += 1_000;
    traced.arrived(2_000);
    traced.arrived(3_000);
    // Of the next seconds 3 is newer than 2, so it is traced at once.
    expect(delays).toEqual([1_000, 9_000, 8_000]);
  });

  it('hold a bounded number of events while an output stands still', () => {
    const { delays, traced } = world();
    for (let second = 0; second < 100; second++) traced.read(second, second * 1_000);
    traced.passed(1_000);
    expect(delays).toHaveLength(2);
  });

  it('are never negative: clocks of machines differ', () => {
    const { delays, traced } = world();
    traced.arrived(12_000);
    expect(delays).toEqual([0]);
  });
});
