import { describe, expect, it } from 'vitest';
import { daysFor, effectFor, playersBy, playersFor } from './power.ts';

const PLAN = { alpha: 0.05, power: 0.8, weights: [1, 1], varianceReduction: 0 };

describe('the players that an effect needs', () => {
  it('fall with what CUPED takes off, and rise with an uneven split and with more variants', () => {
    const revenue = { mean: 1.2, variance: 64 };
    const players = (change: Partial<typeof PLAN>) => playersFor(revenue, 0.1, false, { ...PLAN, ...change });
    // (1.959964 + 0.841621)² · 4 · 64 / 0.12² = 139,535.6.
    expect(players({})).toBe(139_536);
    expect(players({ varianceReduction: 0.25 })).toBe(104_652);
    expect(players({ weights: [9, 1] })).toBe(387_599);
    // z of 0.05 / 6 is 2.393980, and each of the four variants gets a quarter.
    expect(players({ weights: [2, 2, 2, 2] })).toBe(372_236);
  });

  it('are not known for a mean of 0, and for a share that cannot be', () => {
    expect(playersFor({ mean: 0, variance: 0 }, 0.1, false, PLAN)).toBeUndefined();
    expect(playersFor({ mean: 0.6, variance: 0.24 }, 0.7, true, PLAN)).toBeUndefined();
    expect(effectFor({ mean: 0.6, variance: 0.24 }, 20, true, PLAN)).toBeUndefined();
    expect(effectFor({ mean: 0, variance: 0 }, 5_000, false, PLAN)).toBeUndefined();
    expect(effectFor({ mean: 0.6, variance: 0.24 }, 2_000, true, PLAN)).toBeCloseTo(0.10061, 4);
  });
});

describe('the days until players have come', () => {
  const arrivals = { byDay: [100, 60, 40, 30, 30, 30, 30, 30], share: 0.5 };

  it('follow the known days, and then as many a day as in the last week', () => {
    expect(daysFor(50, arrivals)).toBe(1);
    expect(daysFor(51, arrivals)).toBe(2);
    expect(daysFor(175, arrivals)).toBe(8);
    // (60 + 40 + 5 · 30) / 7 · 0.5 = 17.86 a day.
    expect(daysFor(211, arrivals)).toBe(11);
    expect([1, 8, 11].map((day) => playersBy(day, arrivals))).toEqual([50, 175, 228]);
  });

  it('are not known if nobody comes', () => {
    expect(daysFor(1, { byDay: [], share: 1 })).toBeUndefined();
    expect(daysFor(1, { byDay: [0, 0], share: 1 })).toBeUndefined();
    expect(playersBy(3, { byDay: [], share: 1 })).toBe(0);
  });
});
