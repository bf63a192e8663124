import { assert, double, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Found, spendExperiments } from '../../test/experiments/skewed-spend.ts';
import {
  type Comparison,
  fixedCritical,
  fixedInterval,
  fixedPValue,
  liftInterval,
  relativeLift,
  type Sample,
  sharesOf,
  symmetric,
  welchDegrees,
} from './comparison.ts';
import { ALPHA } from './experiment-results.ts';
import { compare } from './pooled.ts';
import { sequentialInterval } from './sequential.ts';
import { clusteredSampleOf, evenSample, sampleOf, seededRandom } from './testing-samples.ts';

const RUNS = { seed: 20_260_115, numRuns: 500 };

/** The comparison; fails if there is none. */
function compared(control: Sample, treatment: Sample): Comparison {
  const found = compare(control, treatment);
  if (typeof found === 'string') throw new Error(found);
  return found;
}

describe('the comparison of two means', () => {
  it("has the p-value of SciPy's Welch test and, by its critical value, the interval of Fieller", () => {
    // ttest_ind_from_stats(0.7, 6.2, 3461, 0.41, 3.9, 3407, equal_var=False) of SciPy 1.17; the bounds are where
    // (treatment − ratio · control) / error is ± t.isf(0.025, 5841.742).
    const found = compared(evenSample(3407, 0.41, 3.9 ** 2), evenSample(3461, 0.7, 6.2 ** 2));
    const { low, high, pValue } = fixedInterval(found, 0.05);
    expect(pValue).toBeCloseTo(0.02015840264358697, 12);
    expect(low).toBeCloseTo(0.09406197077128642, 11);
    expect(high).toBeCloseTo(1.7086899441918981, 10);
  });

  it("has Welch's degrees of freedom", () => {
    // NIST/SEMATECH e-Handbook, 1.3.5.3 (miles per gallon, data AUTO83B): unequal variances, T = -12.946, 136.875
    // degrees.
    const [us, japan] = [evenSample(249, 20.14458, 6.4147 ** 2), evenSample(79, 30.48101, 6.10771 ** 2)];
    const terms = [us, japan].map(({ players, variance }) => ({ players, variance: variance / players }));
    expect(welchDegrees(terms)).toBeCloseTo(136.875, 2);
    expect(compared(us, japan).z).toBeCloseTo(12.946, 3);
    // SciPy 1.17, as above.
    const { low, high, pValue } = fixedInterval(compared(us, japan), 0.05);
    expect((pValue ?? 1) / 1.5709046154648375e-25).toBeCloseTo(1, 9);
    expect(low).toBeCloseTo(0.42489004403520725, 11);
    expect(high).toBeCloseTo(0.606160965094062, 11);
  });

  it('of conversions by hand: 100 of 1,000 against 120 of 1,000', () => {
    const found = compared(sharesOf(1_000, 100), sharesOf(1_000, 120));
    expect(found.z).toBeCloseTo(0.02 / Math.sqrt((0.1 * 0.9 + 0.12 * 0.88) / 999), 12);
    expect(found.skew).toBe(0);
    // δ of Box and Andersen with 220 ones and 1,780 zeros: the kurtosis of shares is 1 / (p (1 − p)) − 6 above normal.
    const spread = 1 / (0.11 * 0.89) - 6;
    expect(found.degrees[0]).toBeCloseTo(1 + (0.8 * spread) / 2_000, 4);
    expect(sharesOf(1_000, 100).kurtosis).toBeCloseTo(
      sampleOf([...Array<number>(900).fill(0), ...Array<number>(100).fill(1)]).kurtosis,
      9,
    );
  });

  it('says why it has no figures', () => {
    const some = sharesOf(100, 10);
    expect(compare(some, sharesOf(1, 1))).toBe('players');
    expect(compare(sharesOf(50, 50), sharesOf(60, 60))).toBe('values');
    // Of 5 conversions in one variant an exact test finds p = 0.0625; Welch's would find 0.025.
    expect(compare(sharesOf(1_000, 0), sharesOf(1_000, 5))).toBe('conversions');
    expect(compare(sharesOf(1_000, 1_000), sharesOf(1_000, 995))).toBe('conversions');
    expect(fixedPValue(compared(sharesOf(1_000, 0), sharesOf(1_000, 6)))).toBeLessThan(0.05);
    const spend = (whale: number) => sampleOf([...Array.from({ length: 99 }, (_, n) => n % 3), whale]);
    expect(compare(spend(2), spend(10_000))).toBe('one_player');
    expect(compare(sharesOf(9_000, 90), sharesOf(300, 3))).toBe('uneven');
    expect(typeof compare(sharesOf(90_000, 900), sharesOf(10_000, 90))).toBe('object');
  });

  // Fisher's exact test, two-sided, finds 0.0079 of 5 against 5, 0.0022 of 6 against 6, and 0.036 of 7 against 2.
  it.each([
    [5, 5, 'conversions'],
    [6, 6, 0.05],
    [7, 2, 'conversions'],
    [2_000, 2_000, 1e-12],
  ] as const)(
    'finds a variant in which all of %d convert against a control in which none of %d do',
    (all, none, found) => {
      for (const samples of [
        [sharesOf(none, 0), sharesOf(all, all)],
        [sharesOf(all, all), sharesOf(none, 0)],
      ] as const) {
        const compared = compare(...samples);
        if (typeof compared === 'string' || typeof found === 'string') expect(compared).toBe(found);
        else expect(fixedPValue(compared)).toBeLessThan(found);
      }
    },
  );

  it('takes a variant in which all but one convert for one that differs', () => {
    const compared = compare(sharesOf(500, 0), sharesOf(500, 499));
    expect(typeof compared === 'string' ? compared : compared.z).toBeGreaterThan(400);
  });

  it('takes players who were drawn together for one', () => {
    const random = seededRandom(5);
    const values = Array.from({ length: 400 }, () => Math.floor(6 * random() ** 3));
    const alone = (from: number) => values.slice(from, from + 200).map((value) => [value]);
    // Clusters of one are players.
    const [one, other] = [clusteredSampleOf(alone(0)), clusteredSampleOf(alone(200))];
    const found = compared(one, other);
    const players = compared(sampleOf(alone(0).flat()), sampleOf(alone(200).flat()));
    for (const [name, value] of Object.entries(players)) {
      if (typeof value === 'number') expect(Reflect.get(found, name), name).toBeCloseTo(value, 9);
    }
    expect(fixedPValue(found)).toBeCloseTo(fixedPValue(players), 9);
    // Four copies of a player are that player, and so are all other figures.
    const copies = (clusters: readonly (readonly number[])[]) =>
      clusteredSampleOf(clusters.map((cluster) => cluster.flatMap((value) => [value, value, value, value])));
    const copied = compared(copies(alone(0)), copies(alone(200)));
    expect(fixedPValue(copied)).toBeCloseTo(fixedPValue(players), 9);
    expect(copied.players).toBe(400);
    const asPlayers = ({ players, conversions, mean, variance, skewness, kurtosis }: Sample): Sample => {
      return { players, conversions, mean, variance, skewness, kurtosis };
    };
    const wrong = compared(asPlayers(copies(alone(0))), asPlayers(copies(alone(200))));
    expect(wrong.z / copied.z).toBeCloseTo(2, 9);
  });

  it('has no figures of few clusters, or of a few that hold most players', () => {
    const of = (sizes: readonly number[]) =>
      clusteredSampleOf(sizes.map((size, n) => Array.from({ length: size }, (_, turn) => (turn + n) % 3)));
    const many = of(Array<number>(40).fill(3));
    expect(typeof compare(many, of(Array<number>(10).fill(4)))).toBe('object');
    expect(compare(many, of(Array<number>(9).fill(4)))).toBe('clusters');
    expect(compare(of(Array<number>(9).fill(4)), many)).toBe('clusters');
    expect(compare(many, of([...Array<number>(60).fill(1), 200]))).toBe('clusters');
    // Of players who were drawn alone 9 are enough.
    const nine = clusteredSampleOf(Array.from({ length: 9 }, (_, n) => [n]));
    expect(typeof compare(nine, of(Array<number>(40).fill(1)))).toBe('object');
  });

  it('has a p-value but no interval if the mean of the control does not differ from 0', () => {
    const found = compared(sharesOf(1_000, 2), sharesOf(1_000, 30));
    const { pValue, ...interval } = fixedInterval(found, ALPHA);
    expect(interval).toEqual({ low: null, high: null, tooSmall: 'control_mean' });
    expect(pValue).toBeLessThan(1e-6);
    expect(relativeLift(sharesOf(100, 0), sharesOf(100, 7))).toBeUndefined();
    expect(relativeLift({ mean: -2 }, { mean: -1 })).toBe(0.5);
  });

  it('has the lifts of which the critical value does not reject one, also of a negative mean and skewed values', () => {
    const mean = double({ min: 0.5, max: 5, noNaN: true });
    const size = integer({ min: 500, max: 5_000 });
    const sign = integer({ min: 0, max: 1 }).map((n) => 2 * n - 1);
    assert(
      property(mean, mean, size, size, sign, double({ min: -3, max: 3, noNaN: true }), (m, o, n, k, side, skewness) => {
        const of = (players: number, value: number): Sample => ({
          ...evenSample(players, side * value, 4),
          skewness,
          kurtosis: 20,
        });
        const [control, treatment] = [of(n, m), of(k, o)];
        const found = compare(control, treatment);
        if (found === 'uneven') return;
        if (typeof found === 'string') throw new Error(found);
        const { low, high } = fixedInterval(found, ALPHA);
        const critical = fixedCritical(found, ALPHA);
        for (const [lift, expected] of [
          [low, critical],
          [high, -critical],
        ]) {
          if (typeof lift !== 'number' || typeof expected !== 'number') continue;
          const ratio = 1 + side * lift;
          const error = Math.sqrt((4 / n) * ratio ** 2 + 4 / k);
          const z = (side * (o - ratio * m)) / error;
          expect(symmetric({ z, skew: found.skew }) / (side * (side * expected))).toBeCloseTo(1, 6);
        }
      }),
      RUNS,
    );
  });

  it('does not depend on the unit of the metric', () => {
    const value = double({ min: 0.01, max: 100, noNaN: true });
    const players = integer({ min: 6, max: 100_000 });
    const factor = double({ min: 0.001, max: 1_000, noNaN: true });
    assert(
      property(value, value, value, players, players, factor, (mean, other, deviation, n, m, by) => {
        const at = (unit: number) =>
          fixedInterval(
            compared(
              evenSample(n, mean * unit, (deviation * unit) ** 2),
              evenSample(m, other * unit, (deviation * unit) ** 2),
            ),
            ALPHA,
          );
        const [one, scaled] = [at(1), at(by)];
        expect(Math.abs((scaled.pValue ?? 2) - (one.pValue ?? 2))).toBeLessThan(1e-6);
        if (one.high === null || one.low === null || scaled.high === null) return;
        expect(Math.abs((scaled.high - one.high) / (one.high - one.low))).toBeLessThan(1e-6);
      }),
      RUNS,
    );
  });
});

describe('the sequential interval', () => {
  it('is the one that GrowthBook publishes for the same tuning, of a control without variance', () => {
    // growthbook/growthbook, packages/stats/tests/frequentist/test_tests.py, TestSequentialTTest: 6,461 players, a lift
    // of 0.50336 and an error of 0.33341.
    const control = evenSample(3_000, 1, 0);
    const found = compared(control, evenSample(3_461, 1.50336, 0.33341 ** 2 * 3_461));
    const { low, high, pValue } = sequentialInterval(found, 0.05, 1_000);
    // Both figures are rounded.
    expect(low).toBeCloseTo(-0.55844, 3);
    expect(high).toBeCloseTo(1.56516, 3);
    expect(pValue).toBe(1);
  });

  it('contains the fixed interval, has no smaller p-value, and both exclude 0 exactly if p < alpha', () => {
    const mean = double({ min: -3, max: 3, noNaN: true }).filter((value) => value !== 0);
    const variance = double({ min: 1e-6, max: 10, noNaN: true });
    const size = integer({ min: 2, max: 1_000_000 });
    assert(
      property(
        mean,
        mean,
        variance,
        size,
        size,
        double({ min: -0.4, max: 0.4, noNaN: true }),
        (m, o, v, n, k, skew) => {
          const found: Comparison = {
            control: { mean: m, variance: v / n },
            treatment: { mean: o, variance: v / k },
            z: (o - m) / Math.sqrt(v / n + v / k),
            skew,
            degrees: [1 + (k % 3), n + k],
            players: n + k,
            shared: v / (n + 2 * k),
          };
          const fixed = fixedInterval(found, ALPHA);
          const sequential = sequentialInterval(found, ALPHA);
          expect(sequential.pValue).toBeGreaterThanOrEqual(fixed.pValue ?? 2);
          if (sequential.low !== null && fixed.low !== null) expect(sequential.low).toBeLessThanOrEqual(fixed.low);
          if (sequential.high !== null && fixed.high !== null)
            expect(sequential.high).toBeGreaterThanOrEqual(fixed.high);
          for (const { low, high, pValue } of [fixed, sequential]) {
            if (pValue === null) throw new Error('no p-value');
            // At the boundary itself rounding decides.
            if (low !== null && high !== null && Math.abs(pValue - ALPHA) > 1e-9) {
              expect(low > 0 || high < 0).toBe(pValue < ALPHA);
            }
            expect(pValue).toBeGreaterThanOrEqual(0);
            expect(pValue).toBeLessThanOrEqual(1);
          }
        },
      ),
      RUNS,
    );
    // A wider critical value has no bounds sooner.
    const barely = compared(sharesOf(1_000, 7), sharesOf(1_000, 30));
    expect(liftInterval(barely, 2, 0.05).tooSmall).toBeNull();
    expect(sequentialInterval(barely, ALPHA).tooSmall).toBe('control_mean');
  });
});

describe('two identical variants', () => {
  const EXPERIMENTS = 1_000;

  /** p-values of experiments on the same distribution. */
  function pValues(draw: (random: () => number) => number, players: number, seed: number): number[] {
    const random = seededRandom(seed);
    const sample = () => sampleOf(Array.from({ length: players }, () => draw(random)));
    return Array.from({ length: EXPERIMENTS }, () => fixedPValue(compared(sample(), sample())));
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

  // 20,000 of each are in test/long. Of 4,000, three standard deviations are 1.0 % of both sides and 0.7 % of one.
  it.each([
    ['165 players each', [165, 165] as const, 0.1, 0.01],
    ['500 players each', [500, 500] as const, 0.1, 0.01],
    // With a treatment of 20 %, Welch's test finds 7.2 % of these worse and 0.8 % better.
    ['2,000 and 500 players, a third of whom pay', [2_000, 500] as const, 0.33, 0.01],
  ])('of skewed spend differ as often as their level says, and both signs alike: %s', (_, players, payers, within) => {
    const count = 4_000;
    const { better, worse }: Found = spendExperiments(players, { payers, deviation: 1 }, count, 14);
    expect(Math.abs((better + worse) / count - 0.05)).toBeLessThan(within);
    expect(Math.abs(better / count - 0.025)).toBeLessThan(0.0075);
    expect(Math.abs(worse / count - 0.025)).toBeLessThan(0.0075);
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
        const found = compared(control, treatment);
        once.fixed ||= fixedPValue(found) < ALPHA;
        once.sequential ||= (sequentialInterval(found, ALPHA).pValue ?? 1) < ALPHA;
      }
      wrong.fixed += once.fixed ? 1 : 0;
      wrong.sequential += once.sequential ? 1 : 0;
    }
    expect(wrong.fixed / experiments).toBeGreaterThan(0.15);
    expect(wrong.sequential / experiments).toBeLessThan(ALPHA);
  });
});
