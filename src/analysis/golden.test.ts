import { describe, expect, it } from 'vitest';
import { type Comparison, liftBounds } from './comparison.ts';
import golden from '../../test/fixtures/statistics/golden.json' with { type: 'json' };
import { holm } from './holm.ts';
import { comparePooled, phaseWeight } from './pooled.ts';
import { effectFor, playersFor } from './power.ts';
import { sampleRatioCells } from './sample-ratio-cells.ts';
import { oneSidedCritical, sequentialInterval } from './sequential.ts';
import { evenSample } from './testing-samples.ts';

/* Against statsmodels, scipy, gbstats, Spotify's calculator and ssrm: test/fixtures/statistics/golden.py. */

const relative = (found: number, wanted: number): number => Math.abs(found / wanted - 1);

describe('figures of public implementations', () => {
  it.each(golden.holm)('Holm: $p_values', ({ p_values: pValues, adjusted }) => {
    expect(holm(pValues)).toEqual(adjusted.map((p) => expect.closeTo(p, 12)));
  });

  it.each(golden.ratios)('sample ratio: $players', ({ players, weights, scipy, gbstats, ssrm }) => {
    const [cell] = sampleRatioCells([players.map((count, place) => ({ players: count, weight: weights[place] ?? 0 }))]);
    expect(cell?.pValue).toBeCloseTo(scipy, 10);
    expect(cell?.pValue).toBeCloseTo(gbstats, 10);
    expect(relative(cell?.pAnytime ?? 0, ssrm)).toBeLessThan(1e-6);
  });

  it.each(golden.sequential)(
    'confidence sequences: $players players, $alpha',
    ({ players, alpha, two_sided: twoSided, one_sided: oneSided }) => {
      // A standard error of 1 around a control that is known exactly: the bounds of the lift are 1 ± the critical
      // value.
      const comparison: Comparison = {
        control: { mean: 1, variance: 0 },
        treatment: { mean: 2, variance: 1 },
        z: 1,
        skew: 0,
        degrees: [1, 1e9],
        players,
        shared: 0,
      };
      const { low, high } = sequentialInterval(comparison, alpha);
      expect([low, high]).toEqual([expect.closeTo(1 - twoSided, 9), expect.closeTo(1 + twoSided, 9)]);
      expect(oneSidedCritical(comparison, alpha)).toBeCloseTo(oneSided, 9);
      expect(liftBounds(comparison, oneSided).low).toBeCloseTo(1 - oneSided, 9);
    },
  );

  it.each(golden.powers_of_means)(
    'players for a mean of $mean and an effect of $mde, $treatments treatments',
    ({ mean, variance, mde, alpha, power, treatments, statsmodels_each: each, spotify }) => {
      const weights = Array.from({ length: treatments + 1 }, () => 1);
      const plan = { alpha, power, weights, varianceReduction: 0 };
      const players = playersFor({ mean, variance }, mde, false, plan) ?? 0;
      // It counts the chance to find the effect with the wrong sign, too.
      expect(relative(players, (treatments + 1) * each)).toBeLessThan(1e-4);
      expect(Math.abs(players - spotify)).toBeLessThanOrEqual(treatments + 1);
      expect(effectFor({ mean, variance }, players, false, plan)).toBeCloseTo(mde, 7);
    },
  );

  it.each(golden.powers_of_shares)(
    'players for a share of $mean and an effect of $mde, $share of them treated',
    ({ mean, mde, alpha, power, share, statsmodels }) => {
      const plan = { alpha, power, weights: [1 - share, share], varianceReduction: 0 };
      const baseline = { mean, variance: mean * (1 - mean) };
      expect(playersFor(baseline, mde, true, plan)).toBe(Math.ceil(statsmodels));
      expect(relative(effectFor(baseline, statsmodels, true, plan) ?? 0, mde)).toBeLessThan(1e-3);
    },
  );

  it.each(golden.pooled)('pooled phases: a difference of $difference', ({ strata, difference, variance }) => {
    const phases = strata.flatMap(([control, treatment]) => {
      if (control === undefined || treatment === undefined) return [];
      const [one, other] = [control, treatment].map((arm) => evenSample(arm.players, arm.mean, arm.variance));
      if (one === undefined || other === undefined) return [];
      return [{ control: one, treatment: other, weight: phaseWeight([control.players, treatment.players]) }];
    });
    const pooled = comparePooled(phases);
    if (typeof pooled === 'string') throw new Error(pooled);
    expect(phases).toHaveLength(3);
    expect(pooled.treatment.mean - pooled.control.mean).toBeCloseTo(difference, 10);
    expect(relative(pooled.treatment.variance + pooled.control.variance, variance)).toBeLessThan(1e-12);
  });
});
