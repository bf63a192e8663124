import { describe, expect, it } from 'vitest';
import { fixedInterval, type Sample, sharesOf } from './comparison.ts';
import { compare, comparePooled, phaseWeight, type Stratum } from './pooled.ts';
import { clusteredSampleOf, sampleOf, seededRandom } from './testing-samples.ts';

const stratum = (control: Stratum['control'], treatment: Stratum['treatment']): Stratum => ({
  control,
  treatment,
  weight: phaseWeight([control.players, treatment.players]),
});

describe('phases that are pooled', () => {
  it.each([
    ['players', 1],
    ['clusters', 3],
  ])('give of one phase the same whatever it weighs, of %s', (_, size) => {
    // Of which each holds `size` players.
    const drawn = (sample: Sample): Sample => {
      const count = Math.floor(sample.players / size);
      const converted = Math.min(sample.conversions, count - 20);
      const clusters = { count, effective: 0.9 * count, converted, unconverted: count - converted };
      return size === 1 ? sample : { ...sample, clusters };
    };
    const random = seededRandom(7);
    const spend = (players: number) =>
      sampleOf(Array.from({ length: players }, () => (random() < 0.1 ? Math.exp(3 * random()) : 0)));
    for (const sizes of [
      [400, 900],
      [5_000, 700],
    ] as const) {
      const [control, treatment] = [drawn(spend(sizes[0])), drawn(spend(sizes[1]))];
      const [alone, pooled] = [compare(control, treatment), comparePooled([stratum(control, treatment)])];
      if (typeof alone === 'string' || typeof pooled === 'string') throw new Error('both are known');
      expect(pooled.players).toBe(alone.players);
      for (const key of ['z', 'skew'] as const) expect(pooled[key]).toBeCloseTo(alone[key], 12);
      for (const place of [0, 1] as const) expect(pooled.degrees[place] / alone.degrees[place]).toBeCloseTo(1, 12);
      expect(fixedInterval(pooled, 0.05)).toEqual({
        ...fixedInterval(alone, 0.05),
        low: expect.closeTo(fixedInterval(alone, 0.05).low ?? 0, 12),
        high: expect.closeTo(fixedInterval(alone, 0.05).high ?? 0, 12),
        pValue: expect.closeTo(fixedInterval(alone, 0.05).pValue ?? 0, 12),
      });
    }
  });

  it('say nothing of several phases of players who share draws', () => {
    const guilds = (count: number) =>
      clusteredSampleOf(
        Array.from({ length: count }, (_, n) => Array.from({ length: 5 }, (__, turn) => (turn + n) % 3)),
      );
    const one = stratum(guilds(40), guilds(50));
    expect(comparePooled([one, stratum(guilds(30), guilds(30))])).toBe('shared_phases');
    // Whatever their number: more of them would not help.
    expect(comparePooled([one, stratum(guilds(3), guilds(3))])).toBe('shared_phases');
    expect(comparePooled([stratum(guilds(3), guilds(30))])).toBe('clusters');
    expect(comparePooled([one])).toEqual(compare(one.control, one.treatment));
  });

  it('do not mix players of phases: after 90 and 10 became 50 and 50, newcomers who buy less are no effect', () => {
    // Veterans buy 50 %, newcomers 10 %, in both variants; 2,000 came in each phase.
    const veterans = [sharesOf(1_800, 900), sharesOf(200, 100)] as const;
    const newcomers = [sharesOf(1_000, 100), sharesOf(1_000, 100)] as const;
    const naive = compare(sharesOf(2_800, 1_000), sharesOf(1_200, 200));
    const pooled = comparePooled([stratum(...veterans), stratum(...newcomers)]);
    if (typeof naive === 'string' || typeof pooled === 'string') throw new Error('both are known');
    expect(fixedInterval(naive, 0.05).high).toBeLessThan(-0.4);
    expect(pooled.z).toBe(0);
    // Weights 180 and 500: (180 · 0.5 + 500 · 0.1) / 680.
    expect([pooled.control.mean, pooled.treatment.mean]).toEqual([
      expect.closeTo(0.20588235, 8),
      expect.closeTo(0.20588235, 8),
    ]);
    // The variance is 180² · 0.25 (1/1799 + 1/199) + 500² · 0.09 · 2/999, by 680².
    expect(pooled.control.variance + pooled.treatment.variance).toBeCloseTo(1.951796e-4, 10);
    // The time: 1 + V₂/V₁ of the players of the first phase.
    expect(pooled.players).toBeCloseTo(3_992.88, 2);
  });

  it('count a phase in which nobody converted, and say why there is no comparison', () => {
    const some = stratum(sharesOf(500, 50), sharesOf(500, 60));
    const none = stratum(sharesOf(400, 0), sharesOf(400, 0));
    const pooled = comparePooled([some, none]);
    if (typeof pooled === 'string') throw new Error('it is known');
    expect(pooled.treatment.mean).toBeCloseTo((250 / 450) * 0.12, 12);
    expect(comparePooled([none])).toBe('values');
    expect(comparePooled([])).toBe('players');
    expect(comparePooled([some, stratum(sharesOf(1, 0), sharesOf(9, 3))])).toBe('players');
  });

  it('weigh phases by the players of all variants', () => {
    expect(phaseWeight([1_800, 200])).toBeCloseTo(180, 12);
    expect(phaseWeight([300, 100, 150])).toBeCloseTo(50, 12);
  });
});
