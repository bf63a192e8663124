import { describe, expect, it } from 'vitest';
import type { MeasuredVariant } from '../../../clickhouse-schema/queries/experiments/experiment-readout.ts';
import { ALPHA } from '../../../src/analysis/experiment-results.ts';
import { phaseResults } from '../../../src/analysis/phase-results.ts';
import { createTally, type Tally } from '../../experiments/tally.ts';
import { TRIED_CASES } from '../../experiments/tried-cases.ts';
import { type Kind, triedExperiment } from '../../experiments/tried-experiment.ts';

const EXPERIMENTS = 1_000;

/** Whether the results of all phases together decide for or against the second variant. */
function isDecided(phases: readonly Record<Kind, MeasuredVariant[]>[], metric: Kind): boolean {
  const samples = phases.map((phase) =>
    phase[metric].map((one) => ({
      ...one,
      variantKey: one.variant,
      weight: 1,
      arrivedSquares: one.arrived ? one.squares : 0,
      arrived: one.players,
    })),
  );
  const keys = [...new Set(samples.flat().map(({ variantKey }) => variantKey))].toSorted();
  return phaseResults(samples, keys, ALPHA).some(({ decision }) => decision === 'higher' || decision === 'lower');
}

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
      const decided = { conversion: 0, revenue: 0 };
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
        for (const metric of ['conversion', 'revenue'] as const) {
          if (life.looks.some((phases) => isDecided(phases, metric))) decided[metric] += 1;
        }
        for (const [place, least] of one.least.entries()) {
          const players = life.phases[place]?.conversion.reduce((sum, each) => sum + each.players, 0);
          expect(players).toBeGreaterThanOrEqual(least);
        }
      }
      expect(exposures).toBeGreaterThan(100 * EXPERIMENTS);
      for (const [metric, count] of Object.entries(decided)) {
        process.stdout.write(`${one.what}, ${metric}: ${count} decided at any look\n`);
        expect(count / EXPERIMENTS, metric).toBeLessThanOrEqual(ALPHA);
      }
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
