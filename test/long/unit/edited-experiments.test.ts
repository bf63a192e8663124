import { afterAll, describe, expect, it } from 'vitest';
import { EDITED_CASES } from '../../experiments/edited-cases.ts';
import { editedExperiment } from '../../experiments/edited-experiment.ts';
import { createTally } from '../../experiments/tally.ts';

const EXPERIMENTS = 1_000;

/** A/A experiments that are edited between veterans and newcomers, who buy much less often. */
describe(
  `${EXPERIMENTS} experiments between variants that are the same differ in about 5 % of them, to both sides`,
  { timeout: 1_800_000 },
  () => {
    const all = { conversion: createTally(), revenue: createTally() };

    it.each(EDITED_CASES)('%s', (what, before, after, least) => {
      const own = { conversion: createTally(), revenue: createTally() };
      const first = EXPERIMENTS * EDITED_CASES.findIndex(([one]) => one === what);
      for (let seed = first + 1; seed <= first + EXPERIMENTS; seed += 1) {
        const found = editedExperiment(seed, { before, after, each: 300 });
        for (const metric of ['conversion', 'revenue'] as const) {
          const [control, treatment] = found[metric];
          if (control === undefined || treatment === undefined) throw new Error('two variants are compared');
          for (const tally of [own[metric], all[metric]]) tally.add(control, treatment);
          expect(control.players + treatment.players).toBeGreaterThanOrEqual(least);
        }
      }
      for (const [metric, tally] of Object.entries(own)) {
        process.stdout.write(`${what}, ${metric}: ${tally.words()}\n`);
        // Three standard deviations, because there are many cases.
        expect(Math.abs(tally.share() - 0.05), `${what}, ${metric}`).toBeLessThanOrEqual(3 * tally.deviation());
        expect(tally.oneSided(), `${what}, ${metric}`).toBeLessThanOrEqual(3);
      }
    });

    afterAll(() => {
      for (const [metric, tally] of Object.entries(all)) process.stdout.write(`all, ${metric}: ${tally.words()}\n`);
    });
  },
);
