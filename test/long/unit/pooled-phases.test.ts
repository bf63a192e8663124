import { describe, expect, it } from 'vitest';
import { fixedInterval, fixedPValue, type Sample } from '../../../src/analysis/comparison.ts';
import { compare, comparePooled, phaseWeight, type Stratum } from '../../../src/analysis/pooled.ts';
import { sequentialInterval } from '../../../src/analysis/sequential.ts';
import { seededRandom } from '../../../src/analysis/testing-samples.ts';
import { createMoments } from '../../experiments/moments.ts';

/* A reweight in the middle: veterans come first, 90 to 10, then newcomers, 50 to 50, who convert and spend far less. */

interface Phase {
  days: number;
  players: number;
  treated: number;
  rate: number;
}

const PHASES: readonly Phase[] = [
  { days: 7, players: 300, treated: 0.1, rate: 0.5 },
  { days: 14, players: 200, treated: 0.5, rate: 0.1 },
];

interface Life {
  pooled: boolean;
  naive: boolean;
  /** Whether the interval at the end holds the lift, and whether those of all days do. */
  holds: boolean;
  alwaysHolds: boolean;
}

/** One life with looks at the end of each day. @param lift of everybody who is treated */
function lifeOf(draw: (rate: number) => number, random: () => number, lift: number): Life {
  const arms: [ReturnType<typeof createMoments>, ReturnType<typeof createMoments>][] = [];
  const naive = [createMoments(), createMoments()] as const;
  const life: Life = { pooled: false, naive: false, holds: true, alwaysHolds: true };
  for (const { days, players, treated, rate } of PHASES) {
    const own: (typeof arms)[number] = [createMoments(), createMoments()];
    arms.push(own);
    for (let day = 0; day < days; day += 1) {
      for (let player = 0; player < players; player += 1) {
        const place = random() < treated ? 1 : 0;
        const value = draw(rate) * (place === 1 ? 1 + lift : 1);
        own[place].add(value);
        naive[place].add(value);
      }
      const pooled = comparePooled(arms.map(([control, treatment]) => stratum(control.sample(), treatment.sample())));
      if (typeof pooled === 'string') continue;
      const { low, high } = sequentialInterval(pooled, 0.05);
      if (low !== null && high !== null && (lift < low || lift > high)) life.alwaysHolds = false;
      life.pooled = fixedPValue(pooled) < 0.05;
      const fixed = fixedInterval(pooled, 0.05);
      life.holds = fixed.low === null || fixed.high === null || (fixed.low <= lift && lift <= fixed.high);
    }
  }
  const mixed = compare(naive[0].sample(), naive[1].sample());
  life.naive = typeof mixed !== 'string' && fixedPValue(mixed) < 0.05;
  return life;
}

const stratum = (control: Sample, treatment: Sample): Stratum => ({
  control,
  treatment,
  weight: phaseWeight([control.players, treatment.players]),
});

describe('phases pooled after a reweight', { timeout: 1_800_000 }, () => {
  const LIVES = 1_000;

  it.each([
    ['conversion', 0, 61],
    ['spend', 0, 62],
    ['spend', 0.3, 63],
  ] as const)(`hold a lift at the end and at every look, by %s: %d`, (what, lift, seed) => {
    const random = seededRandom(seed);
    const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const draw = (rate: number): number => {
      if (random() >= rate) return 0;
      return what === 'conversion' ? 1 : Math.exp(0.8 * normal());
    };
    const count = { pooled: 0, naive: 0, holds: 0, alwaysHolds: 0 };
    for (let life = 0; life < LIVES; life += 1) {
      const found = lifeOf(draw, random, lift);
      for (const key of ['pooled', 'naive', 'holds', 'alwaysHolds'] as const) if (found[key]) count[key] += 1;
    }
    const percent = (of: number): string => `${((100 * of) / LIVES).toFixed(1)} %`;
    process.stdout.write(
      `${what}, lift ${lift}: significant ${percent(count.pooled)} pooled, ${percent(count.naive)} mixed; the interval ` +
        `holds the lift in ${percent(count.holds)}, at every look in ${percent(count.alwaysHolds)}\n`,
    );
    expect(Math.abs(count.holds / LIVES - 0.95)).toBeLessThanOrEqual(0.02);
    expect(count.alwaysHolds / LIVES).toBeGreaterThanOrEqual(0.95);
    // Mixed, an effect is found where there is none.
    if (lift === 0) expect(count.naive / LIVES).toBeGreaterThan(0.5);
  });
});
