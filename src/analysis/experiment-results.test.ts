import { assert, double, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ALPHA, experimentResults, type VariantSample } from './experiment-results.ts';
import { fixedInterval, liftOf, relativeLift, welchDegrees, type Lift, type Sample } from './lift.ts';
import { sampleRatio } from './sample-ratio.ts';
import { sequentialInterval } from './sequential.ts';
import { sampleOf, seededRandom, sharesOf } from './testing-samples.ts';

const RUNS = { seed: 20_260_115, numRuns: 500 };

/** The lift; fails if it is unknown. */
function lift(control: Sample, treatment: Sample): Lift {
  const found = liftOf(control, treatment);
  if (found === undefined) throw new Error('there is no lift');
  return found;
}

/** A sample from the input of other tools: count, sum and sum of squares. */
function summed(players: number, sum: number, squares: number): Sample {
  return { players, mean: sum / players, variance: (squares - (sum * sum) / players) / (players - 1) };
}

describe('the lift of a mean', () => {
  it('has the interval and p-value that GrowthBook publishes', () => {
    // growthbook/growthbook, packages/stats/tests/frequentist/test_tests.py at 59f39a7, test_two_sided_ttest.
    const found = lift(
      { players: 3407, mean: 0.41, variance: 3.9 ** 2 },
      { players: 3461, mean: 0.7, variance: 6.2 ** 2 },
    );
    const { low, high, pValue } = fixedInterval(found, 0.05);
    expect(found.lift).toBeCloseTo(0.70732, 5);
    expect(found.standardError).toBeCloseTo(0.37879, 5);
    expect(low).toBeCloseTo(-0.03526, 4);
    expect(high).toBeCloseTo(1.44989, 4);
    // Its degrees of freedom ignore the scale of the terms, which changes the fifth decimal.
    expect(pValue).toBeCloseTo(0.06191, 4);
  });

  it("has Welch's degrees of freedom", () => {
    // NIST/SEMATECH e-Handbook, 1.3.5.3 (miles per gallon, data AUTO83B): unequal variances, T = -12.946, 136.875
    // degrees.
    const [us, japan] = [
      { players: 249, mean: 20.14458, variance: 6.4147 ** 2 },
      { players: 79, mean: 30.48101, variance: 6.10771 ** 2 },
    ];
    const terms = [us, japan].map(({ players, variance }) => ({ players, variance: variance / players }));
    expect(welchDegrees(terms)).toBeCloseTo(136.875, 2);
    const error = Math.sqrt(terms.reduce((sum, { variance }) => sum + variance, 0));
    expect((us.mean - japan.mean) / error).toBeCloseTo(-12.946, 3);
  });

  it('of conversions by hand: 100 of 1,000 against 120 of 1,000', () => {
    // Variance of the lift by the delta method: .12 × .88 / (999 × .1²) + .1 × .9 × .12² / (999 × .1⁴).
    const found = lift(sharesOf(1_000, 100), sharesOf(1_000, 120));
    expect(found.lift).toBeCloseTo(0.2, 12);
    expect(found.standardError ** 2).toBeCloseTo((0.12 * 0.88 * 0.01 + 0.1 * 0.9 * 0.0144) / (999 * 0.0001), 12);
  });

  it('is unknown without a control mean, with one player, and without variance', () => {
    const some = sharesOf(100, 10);
    expect(relativeLift(sharesOf(100, 0), some)).toBeUndefined();
    expect(liftOf(sharesOf(100, 0), some)).toBeUndefined();
    expect(liftOf(some, { players: 1, mean: 1, variance: Number.NaN })).toBeUndefined();
    expect(liftOf(sharesOf(50, 50), sharesOf(60, 60))).toBeUndefined();
    expect(relativeLift({ mean: -2 }, { mean: -1 })).toBe(0.5);
  });

  it('does not depend on the unit of the metric', () => {
    const value = double({ min: 0.01, max: 100, noNaN: true });
    const players = integer({ min: 2, max: 100_000 });
    const factor = double({ min: 0.001, max: 1_000, noNaN: true });
    assert(
      property(value, value, value, players, players, factor, (mean, other, deviation, n, m, by) => {
        const at = (unit: number) =>
          fixedInterval(
            lift(
              { players: n, mean: mean * unit, variance: (deviation * unit) ** 2 },
              { players: m, mean: other * unit, variance: (deviation * unit) ** 2 },
            ),
            ALPHA,
          );
        const [one, scaled] = [at(1), at(by)];
        expect(Math.abs(scaled.pValue - one.pValue)).toBeLessThan(1e-6);
        expect(Math.abs((scaled.high - one.high) / (one.high - one.low))).toBeLessThan(1e-6);
      }),
      RUNS,
    );
  });
});

describe('the sequential interval', () => {
  it('is the one that GrowthBook publishes for the same tuning', () => {
    // growthbook/growthbook, packages/stats/tests/frequentist/test_tests.py, TestSequentialTTest.
    const mean = lift(summed(3000, 1396.87, 52_377.9767), summed(3461, 2422.7, 134_698.29));
    const { low, high, pValue } = sequentialInterval(mean, 0.05, 1_000);
    expect([mean.lift, mean.standardError].map((value) => value.toFixed(5))).toEqual(['0.50336', '0.33341']);
    expect(low).toBeCloseTo(-0.55844, 4);
    expect(high).toBeCloseTo(1.56516, 4);
    expect(pValue).toBe(1);

    const share = sequentialInterval(lift(sharesOf(3000, 1396), sharesOf(3461, 2422)), 0.05, 5_000);
    expect(share.low).toBeCloseTo(0.40098, 4);
    expect(share.high).toBeCloseTo(0.60675, 4);
    expect(share.pValue).toBeLessThan(1e-5);
  });

  it('contains the fixed interval, has no smaller p-value, and both exclude 0 exactly if p < alpha', () => {
    const ratio = double({ min: -3, max: 3, noNaN: true });
    const error = double({ min: 1e-6, max: 10, noNaN: true });
    const degrees = double({ min: 1, max: 1e6, noNaN: true });
    assert(
      property(
        ratio,
        error,
        degrees,
        integer({ min: 4, max: 10_000_000 }),
        (value, standardError, degreesOfFreedom, players) => {
          const found = { lift: value, standardError, degreesOfFreedom, players };
          const fixed = fixedInterval(found, ALPHA);
          const sequential = sequentialInterval(found, ALPHA);
          expect(sequential.low).toBeLessThanOrEqual(fixed.low);
          expect(sequential.high).toBeGreaterThanOrEqual(fixed.high);
          expect(sequential.pValue).toBeGreaterThanOrEqual(fixed.pValue);
          for (const { low, high, pValue } of [fixed, sequential]) {
            // At the boundary itself rounding decides.
            if (Math.abs(pValue - ALPHA) > 1e-9) expect(low > 0 || high < 0).toBe(pValue < ALPHA);
            expect(pValue).toBeGreaterThanOrEqual(0);
            expect(pValue).toBeLessThanOrEqual(1);
          }
        },
      ),
      RUNS,
    );
  });
});

describe('two identical variants', () => {
  const EXPERIMENTS = 1_000;

  /** p-values of experiments on the same distribution. */
  function pValues(draw: (random: () => number) => number, players: number, seed: number): number[] {
    const random = seededRandom(seed);
    const sample = () => sampleOf(Array.from({ length: players }, () => draw(random)));
    return Array.from({ length: EXPERIMENTS }, () => fixedInterval(lift(sample(), sample()), ALPHA).pValue);
  }

  it.each([
    ['conversions', (random: () => number) => (random() < 0.2 ? 1 : 0), 11],
    ['skewed sums', (random: () => number) => (random() < 0.5 ? 0 : -Math.log(1 - random())), 12],
  ])('have p-values that are uniform: %s', (_, draw, seed) => {
    const sorted = pValues(draw, 400, seed).toSorted((a, b) => a - b);
    // Kolmogorov and Smirnov's distance; 1.95 / √n is passed by chance once in a thousand times.
    const distance = Math.max(...sorted.map((p, index) => Math.abs(p - (index + 0.5) / EXPERIMENTS)));
    expect(distance).toBeLessThan(1.95 / Math.sqrt(EXPERIMENTS));
    const below = sorted.filter((p) => p < 0.05).length / EXPERIMENTS;
    expect(Math.abs(below - 0.05)).toBeLessThan(3 * Math.sqrt((0.05 * 0.95) / EXPERIMENTS));
  });

  it('with daily looks often differ by the fixed test and rarely by the sequential test', () => {
    const random = seededRandom(13);
    const [days, perDay, experiments] = [20, 100, 200];
    const wrong = { fixed: 0, sequential: 0 };
    for (let experiment = 0; experiment < experiments; experiment++) {
      const converted = [0, 0];
      const once = { fixed: false, sequential: false };
      for (let day = 1; day <= days; day++) {
        for (const variant of [0, 1]) {
          for (let player = 0; player < perDay; player++) {
            if (random() < 0.2) converted[variant] = (converted[variant] ?? 0) + 1;
          }
        }
        const [control, treatment] = converted.map((count) => sharesOf(day * perDay, count));
        if (control === undefined || treatment === undefined) throw new Error('two variants');
        const found = lift(control, treatment);
        once.fixed ||= fixedInterval(found, ALPHA).pValue < ALPHA;
        once.sequential ||= sequentialInterval(found, ALPHA).pValue < ALPHA;
      }
      wrong.fixed += once.fixed ? 1 : 0;
      wrong.sequential += once.sequential ? 1 : 0;
    }
    expect(wrong.fixed / experiments).toBeGreaterThan(0.15);
    expect(wrong.sequential / experiments).toBeLessThan(ALPHA);
  });
});

describe('the sample ratio', () => {
  it('finds the mismatch of a published example', () => {
    // Kohavi, Tang and Xu, Trustworthy Online Controlled Experiments (2020), chapter 21: p-value 1.8E-6.
    const { pValue, mismatch } = sampleRatio([
      { players: 821_588, weight: 50 },
      { players: 815_482, weight: 50 },
    ]);
    expect(pValue).toBeCloseTo(1.8e-6, 7);
    expect(mismatch).toBe(true);
  });

  it('accepts weights of any sum, and accepts 502 of 1,000 at 1:1', () => {
    const { pValue, mismatch } = sampleRatio([
      { players: 502, weight: 0.2 },
      { players: 498, weight: 0.2 },
    ]);
    // χ² = 0.016 at one degree.
    expect(pValue).toBeCloseTo(0.8993, 4);
    expect(mismatch).toBe(false);
  });

  it('is unknown without players or a second weight; players in a variant of weight 0 are a mismatch', () => {
    const none = { pValue: null, mismatch: false };
    expect(sampleRatio([])).toEqual(none);
    expect(sampleRatio([{ players: 10, weight: 1 }])).toEqual(none);
    expect(
      sampleRatio([
        { players: 0, weight: 1 },
        { players: 0, weight: 2 },
      ]),
    ).toEqual(none);
    expect(
      sampleRatio([
        { players: 10, weight: 1 },
        { players: 0, weight: 0 },
      ]),
    ).toEqual(none);
    expect(
      sampleRatio([
        { players: 10, weight: 1 },
        { players: 1, weight: 0 },
      ]),
    ).toEqual({ pValue: 0, mismatch: true });
  });
});

describe('the results of an experiment', () => {
  const variant = (variantKey: string, players: number, conversions: number, weight: number | null): VariantSample => ({
    ...(players === 0 ? { players, mean: Number.NaN, variance: Number.NaN } : sharesOf(players, conversions)),
    variantKey,
    weight,
    arrived: players,
    conversions,
    sum: conversions,
  });

  it('compare every variant with the first; unknown figures are null', () => {
    const { variants, sampleRatio: ratio } = experimentResults([
      variant('control', 1_000, 100, 1),
      variant('b', 1_000, 120, 1),
      variant('nobody', 0, 0, 1),
    ]);
    expect(variants.map(({ variantKey, mean, lift: found }) => [variantKey, mean, found?.toFixed(6)])).toEqual([
      ['control', 0.1, undefined],
      ['b', 0.12, '0.200000'],
      ['nobody', null, undefined],
    ]);
    expect(variants.map(({ interval, sequential }) => [interval === null, sequential === null])).toEqual([
      [true, true],
      [false, false],
      [true, true],
    ]);
    expect(ratio.mismatch).toBe(true);
  });

  it('have no sample ratio if an expected share is unknown', () => {
    const { sampleRatio: ratio } = experimentResults([variant('a', 10, 1, null), variant('b', 1_000, 1, null)]);
    expect(ratio).toEqual({ pValue: null, mismatch: false });
  });

  it('show sums that overflow as null', () => {
    const endless = { ...variant('a', 10, 1, null), sum: Infinity, mean: Infinity, variance: Number.NaN };
    const { variants } = experimentResults([endless, variant('b', 10, 1, null)]);
    expect(variants[0]).toMatchObject({ sum: null, mean: null });
    expect(variants[1]).toMatchObject({ mean: 0.1, lift: null, interval: null });
  });
});
