import { beforeAll, describe, expect, it } from 'vitest';
import { ALPHA } from '../../../src/analysis/experiment-results.ts';
import { compare, fixedPValue } from '../../../src/analysis/comparison.ts';
import { measureFacts } from '../../experiments/measure-facts.ts';
import { countedIn, periodQueries } from '../../experiments/results-of.ts';
import { simulateExperiment } from '../../experiments/simulate-experiment.ts';

const EXPERIMENTS = 1_000;
const PLAYERS = 140;
/** Of each variant: with fewer, shares of conversions are too coarse for a t test to hold its level. */
const LEAST_PLAYERS = 25;

/**
 * The service's own decisions, statistics and rules of what counts, over experiments in which the variants do not
 * differ: with contexts, edits, overrides, offline play and crashes. What is found significant is found by chance.
 */
describe(`${EXPERIMENTS} experiments between variants that are the same`, { timeout: 600_000 }, () => {
  const total = { exposures: 0, misattributed: 0, crashes: 0, offline: 0, excluded: 0, mismatches: 0 };
  const pValues: number[] = [];
  let periods = 0;
  let lives = 0;

  beforeAll(() => {
    for (let seed = 1; pValues.length < EXPERIMENTS; seed += 1) {
      const experiment = simulateExperiment(seed, PLAYERS);
      for (const key of ['exposures', 'misattributed', 'crashes', 'offline'] as const) {
        total[key] += experiment[key];
      }
      const queries = periodQueries(experiment, { kind: 'conversion' });
      periods += queries.length;
      lives = seed;
      // The latest period that has players enough: chosen by their number alone.
      const measured = queries.map((query) => measureFacts(experiment.log, query)).toReversed();
      for (const { excluded, players, mismatches } of measured.flat()) {
        total.mismatches += mismatches;
        if (excluded) total.excluded += players;
      }
      const large = measured
        .map(countedIn)
        .find((rows) => rows.length === 2 && rows.every(({ players }) => players >= LEAST_PLAYERS));
      const [control, treatment] = large ?? [];
      const compared = control && treatment && compare(control, treatment);
      if (typeof compared === 'object') pValues.push(fixedPValue(compared));
    }
  }, 600_000);

  it('are found to differ in 5 % of them, give or take 1.4', () => {
    const share = pValues.filter((pValue) => pValue < ALPHA).length / EXPERIMENTS;
    process.stdout.write(
      `false positives ${(share * 100).toFixed(1)} %, ${lives} lives, ${periods} periods, ${JSON.stringify(total)}\n`,
    );
    expect(Math.abs(share - ALPHA)).toBeLessThanOrEqual(0.014);
  });

  it('attribute no exposure to a variant that the client did not show', () => {
    expect(total.misattributed).toBe(0);
    expect(total.exposures).toBeGreaterThan(10_000);
    // All that could go wrong did happen.
    for (const [what, count] of Object.entries(total)) {
      if (what !== 'misattributed') expect([what, count > 50]).toEqual([what, true]);
    }
  });
});
