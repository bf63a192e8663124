import { describe, expect, it } from 'vitest';
import { createTally, type Tally } from '../../experiments/tally.ts';
import { TRIED_CASES } from '../../experiments/tried-cases.ts';
import { triedExperiment } from '../../experiments/tried-experiment.ts';

const EXPERIMENTS = 1_000;

/**
 * A/A experiments that ramp, reweight, pause and stop, with guests who sign in and owners that crash: each phase, and
 * the flag's own results before and after them.
 */
describe(
  `${EXPERIMENTS} experiments between variants that are the same differ in about 5 % of them, to both sides`,
  { timeout: 3_600_000 },
  () => {
    it.each(TRIED_CASES)('$what', (one) => {
      const tallies = new Map<string, Tally>();
      const first = EXPERIMENTS * TRIED_CASES.indexOf(one);
      let exposures = 0;
      for (let seed = first + 1; seed <= first + EXPERIMENTS; seed += 1) {
        const life = triedExperiment(seed, one, 140);
        exposures += life.exposures;
        expect(life.misattributed).toBe(0);
        const measured = life.phases.map((found, place) => [`phase ${place + 1}`, found] as const);
        for (const [name, found] of [...measured, ['flag', life.flag] as const]) {
          for (const metric of ['conversion', 'revenue'] as const) {
            const [control, treatment] = found[metric];
            if (control === undefined || treatment === undefined) throw new Error('two variants are compared');
            const tally = tallies.get(`${name}, ${metric}`) ?? createTally();
            tallies.set(`${name}, ${metric}`, tally);
            tally.add(control, treatment);
          }
        }
        for (const [place, least] of one.least.entries()) {
          const players = life.phases[place]?.conversion.reduce((sum, each) => sum + each.players, 0);
          expect(players).toBeGreaterThanOrEqual(least);
        }
      }
      expect(exposures).toBeGreaterThan(100 * EXPERIMENTS);
      for (const [name, tally] of tallies) {
        process.stdout.write(`${one.what}, ${name}: ${tally.words()}\n`);
        // Too few players make no comparison; three standard deviations, because there are many cases.
        if (tally.compared < EXPERIMENTS / 2) continue;
        expect(Math.abs(tally.share() - 0.05), name).toBeLessThanOrEqual(3 * tally.deviation());
        expect(tally.oneSided(), name).toBeLessThanOrEqual(3);
      }
    });
  },
);
