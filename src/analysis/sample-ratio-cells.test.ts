import { describe, expect, it } from 'vitest';
import { sampleRatioCells } from './sample-ratio-cells.ts';

const halves = (one: number, other: number) => [
  { players: one, weight: 1 },
  { players: other, weight: 1 },
];

describe('sample ratios by day', () => {
  it('alarm on the day of the fault, at the same level whatever comes later', () => {
    const days = [halves(510, 490), halves(495, 505), halves(620, 380)];
    const found = sampleRatioCells(days);
    expect(found.map(({ mismatch }) => mismatch)).toEqual([false, false, true]);
    // χ² = 0.4, 0.1 and 57.6 at one degree.
    expect(found.map(({ pValue }) => pValue)).toEqual([
      expect.closeTo(0.527089, 5),
      expect.closeTo(0.75183, 5),
      expect.closeTo(3.2e-14, 14),
    ]);
    expect(sampleRatioCells([...days, halves(500, 500)]).slice(0, 3)).toEqual(found);
    // The third day: 3 · 4 times its always-valid p-value.
    expect((found[2]?.pAdjusted ?? 0) / (found[2]?.pAnytime ?? 1)).toBeCloseTo(12, 10);
  });

  it('say why χ² is not known, and are valid without it', () => {
    const rare = (players: number) => [
      { players: 300, weight: 99 },
      { players, weight: 1 },
    ];
    const [few, many] = [sampleRatioCells([rare(4)])[0], sampleRatioCells([rare(60)])[0]];
    expect(few).toMatchObject({ pValue: null, reason: 'few_players', mismatch: false });
    expect(many).toMatchObject({ pValue: null, reason: 'few_players', mismatch: true });
    const one = { pValue: null, reason: 'one_variant', pAnytime: null, pAdjusted: null, mismatch: false };
    expect(sampleRatioCells([[], [{ players: 9, weight: 2 }]])).toEqual([one, one]);
    const guilds = halves(600, 300).map((cell) => ({ ...cell, squares: 4 * cell.players }));
    expect(sampleRatioCells([guilds])).toEqual([{ ...one, reason: 'shared_draws' }]);
    expect(sampleRatioCells([halves(0, 0)])).toEqual([
      { pValue: null, reason: 'few_players', pAnytime: 1, pAdjusted: 1, mismatch: false },
    ]);
  });

  it('take any player of a variant without a weight for a fault', () => {
    expect(
      sampleRatioCells([
        [
          { players: 700, weight: 5 },
          { players: 1, weight: 0 },
        ],
      ]),
    ).toEqual([{ pValue: 0, reason: null, pAnytime: 0, pAdjusted: 0, mismatch: true }]);
  });
});
