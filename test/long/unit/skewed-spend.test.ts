import { describe, expect, it } from 'vitest';
import { spendExperiments } from '../../experiments/skewed-spend.ts';

const EXPERIMENTS = 20_000;

/** What players spend in experiments between variants that are the same. */
describe(`${EXPERIMENTS} experiments by what few players spend`, { timeout: 300_000 }, () => {
  it.each([165, 500, 2_000])('%d players a variant: as often as their level says, both signs alike', (players) => {
    const { better, worse, unknown } = spendExperiments(
      [players, players],
      { payers: 0.1, deviation: 1 },
      EXPERIMENTS,
      players,
    );
    const share = (count: number): number => (100 * count) / EXPERIMENTS;
    process.stdout.write(
      `${players} a variant: ${share(better).toFixed(2)} % better, ${share(worse).toFixed(2)} % worse, ` +
        `${share(unknown).toFixed(2)} % too small\n`,
    );
    expect(Math.abs(share(better + worse) - 5)).toBeLessThanOrEqual(0.5);
    // Four standard deviations of the difference of two such counts.
    expect(Math.abs(share(better - worse))).toBeLessThanOrEqual(0.64);
    expect(share(unknown)).toBeLessThan(0.5);
  });

  it.each([
    [9_000, 1_000],
    [20_000, 5_000],
  ])('%d and %d players: both signs alike, within what skewness leaves', (control, treatment) => {
    const count = EXPERIMENTS / 4;
    const { better, worse, unknown } = spendExperiments(
      [control, treatment],
      { payers: 0.2, deviation: 1 },
      count,
      treatment,
    );
    const known = count - unknown;
    process.stdout.write(
      `${control} and ${treatment}: ${((100 * better) / known).toFixed(2)} % better, ` +
        `${((100 * worse) / known).toFixed(2)} % worse, ${((100 * unknown) / count).toFixed(1)} % too small\n`,
    );
    for (const found of [better, worse]) expect(Math.abs((100 * found) / known - 2.5)).toBeLessThan(1);
  });
});
