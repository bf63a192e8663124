import { beforeAll, describe, expect, it } from 'vitest';
import { measureFacts } from '../../experiments/measure-facts.ts';
import { countedIn, periodQueries } from '../../experiments/results-of.ts';
import { simulateExperiment } from '../../experiments/simulate-experiment.ts';
import { createTally } from '../../experiments/tally.ts';

const EXPERIMENTS = 1_000;
const PLAYERS = 280;
/** Of each variant: with fewer, what few players do is too coarse for a test to hold its level. */
const LEAST_PLAYERS = 40;

/**
 * The service's own decisions, statistics and rules of what counts, over experiments in which the variants do not
 * differ: with late arrivals, contexts, edits of every kind, overrides, offline play and crashes. What is found
 * significant is found by chance.
 */
describe(`${EXPERIMENTS} experiments between variants that are the same`, { timeout: 1_800_000 }, () => {
  const total = { exposures: 0, misattributed: 0, crashes: 0, offline: 0, excluded: 0, earlier: 0, mismatches: 0 };
  const tallies = { conversion: createTally(), revenue: createTally() };
  let [periods, lives] = [0, 0];

  beforeAll(() => {
    while (tallies.conversion.compared < EXPERIMENTS || tallies.revenue.compared < EXPERIMENTS) {
      lives += 1;
      const experiment = simulateExperiment(lives, PLAYERS);
      for (const key of ['exposures', 'misattributed', 'crashes', 'offline'] as const) total[key] += experiment[key];
      for (const kind of ['conversion', 'revenue'] as const) {
        const measured = periodQueries(experiment, { kind }).map((query) => measureFacts(experiment.log, query));
        if (kind === 'conversion') {
          periods += measured.length;
          for (const { excluded, earlier, players, mismatches } of measured.flat()) {
            total.mismatches += mismatches;
            if (excluded) total.excluded += players;
            if (earlier) total.earlier += players;
          }
        }
        // The latest period that has players enough: chosen by their number alone.
        const large = measured
          .toReversed()
          .map((rows) => countedIn(rows).slice(0, 2))
          .find((rows) => rows.length === 2 && rows.every(({ players }) => players >= LEAST_PLAYERS));
        const [control, treatment] = large ?? [];
        if (control && treatment && tallies[kind].compared < EXPERIMENTS) tallies[kind].add(control, treatment);
      }
    }
    process.stdout.write(`${lives} lives, ${periods} periods, ${JSON.stringify(total)}\n`);
  }, 1_800_000);

  it.each(['conversion', 'revenue'] as const)(
    'by %s they differ as often as the level says, both signs alike',
    (kind) => {
      const tally = tallies[kind];
      process.stdout.write(`${kind}: ${tally.words()}\n`);
      expect(Math.abs(tally.share() - 0.05)).toBeLessThanOrEqual(0.014);
      // Two standard deviations.
      expect(tally.oneSided()).toBeLessThanOrEqual(2);
    },
  );

  it('attribute no exposure to a variant that the client did not show', () => {
    expect(total.misattributed).toBe(0);
    expect(total.exposures).toBeGreaterThan(10_000);
    // All that could go wrong did happen.
    for (const [what, count] of Object.entries(total)) {
      if (what !== 'misattributed') expect([what, count > 100]).toEqual([what, true]);
    }
  });
});
