import { describe, expect, it } from 'vitest';
import { fixedInterval, type Sample } from '../../../src/analysis/comparison.ts';
import { compare } from '../../../src/analysis/pooled.ts';
import { ALPHA } from '../../../src/analysis/experiment-results.ts';
import { sampleOf, seededRandom } from '../../../src/analysis/testing-samples.ts';
import { drawSpend } from '../../experiments/skewed-spend.ts';

const EXPERIMENTS = 1_000;
const PLAYERS = 1_000;

/** How many intervals hold the lift, and the mean of their widths. */
function coverage(lift: number, draw: (lift: number) => readonly [Sample, Sample]): { share: number; width: number } {
  const found = { held: 0, known: 0, width: 0 };
  for (let n = 0; n < EXPERIMENTS; n += 1) {
    const compared = compare(...draw(lift));
    if (typeof compared === 'string') continue;
    const { low, high } = fixedInterval(compared, ALPHA);
    if (low === null || high === null) continue;
    found.known += 1;
    found.width += high - low;
    if (low <= lift && lift <= high) found.held += 1;
  }
  expect(found.known).toBeGreaterThan(0.98 * EXPERIMENTS);
  return { share: found.held / found.known, width: found.width / found.known };
}

const players = (valueOf: () => number): Sample => sampleOf(Array.from({ length: PLAYERS }, valueOf));

describe(`${EXPERIMENTS} experiments with a known lift`, { timeout: 300_000 }, () => {
  it.each([
    ['conversion', 0.1, 41],
    ['conversion', 0.5, 42],
  ])('hold it in 95 of 100 intervals, by %s: %d', (_, lift, seed) => {
    const random = seededRandom(seed);
    const of = (rate: number) => players(() => (random() < rate ? 1 : 0));
    const { share } = coverage(lift, (by) => [of(0.2), of(0.2 * (1 + by))]);
    process.stdout.write(`conversion, lift ${lift}: ${(100 * share).toFixed(1)} %\n`);
    expect(Math.abs(share - 0.95)).toBeLessThanOrEqual(0.014);
  });

  it.each([0.1, 0.5])('hold it by skewed spend: %d', (lift) => {
    const draw = drawSpend({ payers: 0.3, deviation: 1 }, 43);
    const { share } = coverage(lift, (by) => [players(draw), players(() => (1 + by) * draw())]);
    process.stdout.write(`spend, lift ${lift}: ${(100 * share).toFixed(1)} %\n`);
    expect(Math.abs(share - 0.95)).toBeLessThanOrEqual(0.014);
  });

  it.each([0.5, 0.8])(
    'hold it with CUPED too, with intervals as narrow as a correlation of %d makes them',
    (correlation) => {
      const random = seededRandom(44);
      const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
      const theta = 2 * correlation;
      const arms = (lift: number, isAdjusted: boolean) => (): readonly [Sample, Sample] => {
        const drawn = [1, 1 + lift].map((by) =>
          Array.from({ length: PLAYERS }, () => {
            const before = normal();
            return { before, after: by * (20 + theta * before + 2 * Math.sqrt(1 - correlation ** 2) * normal()) };
          }),
        );
        const all = drawn.flat();
        const mean = all.reduce((sum, { before }) => sum + before, 0) / all.length;
        const [control, treatment] = drawn.map((own) =>
          sampleOf(own.map(({ before, after }) => (isAdjusted ? after - theta * (before - mean) : after))),
        );
        if (control === undefined || treatment === undefined) throw new Error('two variants');
        const shared = isAdjusted ? theta ** 2 / all.length : 0;
        return [
          { ...control, shared },
          { ...treatment, shared },
        ];
      };
      const [plain, adjusted] = [coverage(0.1, arms(0.1, false)), coverage(0.1, arms(0.1, true))];
      const narrower = (adjusted.width / plain.width) ** 2;
      process.stdout.write(
        `CUPED, ρ ${correlation}: ${(100 * adjusted.share).toFixed(1)} %, variance × ${narrower.toFixed(3)}\n`,
      );
      expect(Math.abs(adjusted.share - 0.95)).toBeLessThanOrEqual(0.02);
      expect(Math.abs(narrower - (1 - correlation ** 2))).toBeLessThan(0.02);
    },
  );
});
