import { fixedPValue } from '../../src/analysis/comparison.ts';
import { compare } from '../../src/analysis/pooled.ts';
import { ALPHA } from '../../src/analysis/experiment-results.ts';
import { sampleOf, seededRandom } from '../../src/analysis/testing-samples.ts';

/* Experiments between variants that are the same, by a metric that few players have and that varies widely. */

export interface Spend {
  /** Share of players who spend. */
  payers: number;
  /** Of the logarithm of what a payer spends, whose mean is 1. */
  deviation: number;
}

export interface Found {
  experiments: number;
  better: number;
  worse: number;
  /** Without a p-value. */
  unknown: number;
}

/** How many of such experiments find a difference. @param players of the control and of the treatment */
export function spendExperiments(players: readonly [number, number], spend: Spend, count: number, seed: number): Found {
  const draw = drawSpend(spend, seed);
  const found = { experiments: count, better: 0, worse: 0, unknown: 0 };
  const sample = (size: number) => sampleOf(Array.from({ length: size }, draw));
  for (let n = 0; n < count; n += 1) {
    const compared = compare(sample(players[0]), sample(players[1]));
    if (typeof compared === 'string') found.unknown += 1;
    else if (fixedPValue(compared) < ALPHA) found[compared.z > 0 ? 'better' : 'worse'] += 1;
  }
  return found;
}

/** What a player spends, in whole cents: of two random numbers a normal one by Box and Muller's method. */
export function drawSpend({ payers, deviation }: Spend, seed: number): () => number {
  const random = seededRandom(seed);
  return () => {
    if (random() >= payers) return 0;
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    return Math.round(100 * Math.exp(1 + deviation * normal)) / 100;
  };
}
