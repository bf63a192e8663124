import { describe, expect, it } from 'vitest';
import { sharesOf } from './comparison.ts';
import { experimentResults, type VariantSample } from './experiment-results.ts';
import { sampleRatio } from './sample-ratio.ts';

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

describe('the sample ratio of players who were drawn together', () => {
  const pairs = (players: number) => ({ players, squares: 2 * players });

  it('is that of their groups, if these are of one size', () => {
    const ofPlayers = sampleRatio([
      { players: 502, weight: 1 },
      { players: 398, weight: 1 },
    ]);
    expect(ofPlayers.mismatch).toBe(true);
    const ofPairs = sampleRatio([
      { ...pairs(502), weight: 1 },
      { ...pairs(398), weight: 1 },
    ]);
    const ofGroups = sampleRatio([
      { players: 251, weight: 1 },
      { players: 199, weight: 1 },
    ]);
    expect(ofPairs).toEqual({ pValue: expect.closeTo(ofGroups.pValue ?? 0, 12), mismatch: false });
  });

  it('is unknown of fewer than 5 expected groups', () => {
    const of = (groups: number) => [
      { players: 20 * groups, squares: 400 * groups, weight: 1 },
      { players: 20 * groups, squares: 400 * groups, weight: 1 },
    ];
    expect(sampleRatio(of(4))).toEqual({ pValue: null, mismatch: false });
    expect(sampleRatio(of(5))).toEqual({ pValue: 1, mismatch: false });
  });
});

describe('the results of an experiment', () => {
  const variant = (variantKey: string, players: number, conversions: number, weight: number | null): VariantSample => ({
    ...sharesOf(players, conversions),
    variantKey,
    weight,
    arrived: players,
    arrivedSquares: players,
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
    const none = { low: null, high: null, pValue: null, pAdjusted: null, tooSmall: 'players' };
    expect(variants.map(({ interval, sequential }) => [interval, sequential])).toEqual([
      [null, null],
      [
        {
          low: expect.closeTo(-0.0661, 4),
          high: expect.closeTo(0.5522, 4),
          pValue: expect.closeTo(0.15305, 4),
          pAdjusted: expect.closeTo(0.3061, 4),
          tooSmall: null,
        },
        {
          low: expect.closeTo(-0.1994, 4),
          high: expect.closeTo(0.8307, 4),
          pValue: expect.closeTo(0.9396, 4),
          pAdjusted: 1,
          tooSmall: null,
        },
      ],
      [none, none],
    ]);
    expect(ratio.mismatch).toBe(true);
  });

  it('adjust p-values for all variants that get players, and not for those that never do', () => {
    const pAdjusted = (...samples: VariantSample[]) =>
      experimentResults(samples).variants.map(({ interval }) => interval?.pAdjusted?.toFixed(4));
    const [control, better, worse] = [
      variant('control', 2_000, 200, 1),
      variant('better', 2_000, 240, 1),
      variant('worse', 2_000, 151, 1),
    ];
    expect(pAdjusted(control, better)).toEqual([undefined, '0.0432']);
    expect(pAdjusted(control, better, worse)).toEqual([undefined, '0.0432', '0.0123']);
    expect(pAdjusted(control, better, variant('alike', 2_000, 201, 1))).toEqual([undefined, '0.0864', '0.9581']);
    expect(pAdjusted(control, better, variant('off', 0, 0, 0))).toEqual([undefined, '0.0432', undefined]);
    expect(pAdjusted(control, better, variant('late', 0, 0, 1))).toEqual([undefined, '0.0864', undefined]);
  });

  it('decide by the adjusted always-valid p-value: a variant that alone would be higher is not, beside five others', () => {
    const alike = Array.from({ length: 5 }, (_, place) => variant(`alike${place}`, 5_000, 500, 1));
    const [control, higher] = [variant('control', 5_000, 500, 1), variant('b', 5_000, 600, 1)];
    const decisions = (...samples: VariantSample[]) =>
      experimentResults(samples).variants.map(({ sequential, decision }) => [
        sequential?.pValue?.toFixed(4),
        sequential?.pAdjusted?.toFixed(4),
        decision,
      ]);
    expect(decisions(control, higher)[1]).toEqual(['0.0335', '0.0335', 'higher']);
    expect(decisions(higher, control)[1]).toEqual(['0.0335', '0.0335', 'lower']);
    expect(decisions(control, higher, ...alike).slice(0, 2)).toEqual([
      [undefined, undefined, null],
      ['0.0335', '0.2011', 'undecided'],
    ]);
  });

  it('have no sample ratio if an expected share is unknown', () => {
    const { sampleRatio: ratio } = experimentResults([variant('a', 10, 1, null), variant('b', 1_000, 1, null)]);
    expect(ratio).toEqual({ pValue: null, mismatch: false });
  });

  it('show sums that overflow as null', () => {
    const endless = { ...variant('a', 10, 1, null), sum: Infinity, mean: Infinity, variance: Number.NaN };
    const { variants } = experimentResults([endless, variant('b', 10, 1, null)]);
    expect(variants[0]).toMatchObject({ sum: null, mean: null });
    expect(variants[1]).toMatchObject({ mean: 0.1, lift: null, interval: { low: null, tooSmall: 'values' } });
  });
});
