import { chiSquareUpper } from './distributions.ts';
import { logGamma } from './special-functions.ts';

/** The players of one variant who came in a cell, and the share that is expected, in any unit. */
export interface RatioCount {
  players: number;
  weight: number;
  /** The sum of the squares of the numbers of players who were drawn together; absent: each was drawn alone. */
  squares?: number;
}

/** Why a cell has no χ² test. The keys are those of the API. */
export const NO_RATIO = {
  shared_draws: 'players were drawn together, so that they are not independent: only the whole is tested',
  one_variant: 'fewer than two variants have a weight',
  few_players: 'fewer than 5 players are expected of a variant, for which χ² is no approximation',
} as const;

export interface RatioOfCell {
  /** P-value of Pearson's χ² test, for a single look; null: `reason` says why. */
  pValue: number | null;
  reason: keyof typeof NO_RATIO | null;
  /** Valid at every look, whatever the number of players; null with `one_variant` and `shared_draws`. */
  pAnytime: number | null;
  /** `pAnytime`, adjusted for all cells that there are or will be. */
  pAdjusted: number | null;
  mismatch: boolean;
}

/** Error rate of the alarms of all cells, ever. */
export const RATIO_ALPHA = 0.01;

/**
 * Whether players came in the ratio of the weights, cell by cell: days or phases, in the order of time. A cell alarms
 * if its adjusted p-value is below `RATIO_ALPHA`. Without a fault any of them does so, at any look and however many
 * there will be, with at most this probability: each always-valid p-value is multiplied by k (k + 1), k the number of
 * the cell from 1, and Σ 1/(k (k + 1)) = 1. Holm's factor would grow with each day, so that an alarm could end by
 * itself.
 */
export function sampleRatioCells(cells: readonly (readonly RatioCount[])[]): RatioOfCell[] {
  return cells.map((counts, place) => {
    const weighted = counts.filter(({ weight }) => weight > 0);
    const areTogether = counts.some(({ players, squares }) => (squares ?? players) > players);
    const isStray = counts.some(({ players, weight }) => weight === 0 && players > 0);
    if (!isStray && (weighted.length < 2 || areTogether)) {
      const reason = weighted.length < 2 ? 'one_variant' : 'shared_draws';
      return { pValue: null, reason, pAnytime: null, pAdjusted: null, mismatch: false };
    }
    const pAnytime = isStray ? 0 : ratioAtAnyTime(weighted);
    const pAdjusted = Math.min(1, pAnytime * (place + 1) * (place + 2));
    const pValue = isStray ? 0 : chiSquare(weighted);
    return {
      pValue,
      reason: pValue === null ? 'few_players' : null,
      pAnytime,
      pAdjusted,
      mismatch: pAdjusted < RATIO_ALPHA,
    };
  });
}

/** Fewer are expected of a variant than χ² needs (Cochran, Biometrics 10, 1954). */
const LEAST_EXPECTED = 5;

function chiSquare(counts: readonly RatioCount[]): number | null {
  const [players, weights] = [sumOf(counts, (one) => one.players), sumOf(counts, (one) => one.weight)];
  const expected = counts.map(({ weight }) => (players * weight) / weights);
  if (Math.min(...expected) < LEAST_EXPECTED) return null;
  const statistic = counts.reduce((sum, one, place) => {
    const mean = expected[place] ?? 0;
    return sum + (one.players - mean) ** 2 / mean;
  }, 0);
  return chiSquareUpper(statistic, counts.length - 1);
}

/**
 * The p-value of a sequential multinomial test: 1 / Bayes factor of shares with a Dirichlet prior around the expected
 * ones against these. The factor is a martingale if the shares are right, so that it ever reaches 1/α with probability
 * α at most (Lindon and Malek, "Anytime-Valid Inference for Multinomial Count Data", NeurIPS 2022; arXiv 2011.03567).
 * @param counts players and positive weights of at least two variants
 */
export function ratioAtAnyTime(counts: readonly RatioCount[]): number {
  const [players, weights] = [sumOf(counts, (one) => one.players), sumOf(counts, (one) => one.weight)];
  const logFactor = counts.reduce(
    (sum, one) => {
      const share = one.weight / weights;
      const prior = CONCENTRATION * share;
      return sum + logGammaOf(prior + one.players) - logGammaOf(prior) - one.players * Math.log(share);
    },
    logGammaOf(CONCENTRATION) - logGammaOf(CONCENTRATION + players),
  );
  return Math.min(1, Math.exp(-logFactor));
}

/**
 * Players that the prior is worth: as many as it takes to see shares 0.016 away from one half (one deviation).
 * With ten times more or less, a fault is found a little later.
 */
const CONCENTRATION = 1_000;

/** ln Γ(x) for x > 0: `logGamma` needs 0.5. */
const logGammaOf = (x: number): number => (x < 0.5 ? logGamma(x + 1) - Math.log(x) : logGamma(x));

const sumOf = (counts: readonly RatioCount[], valueOf: (one: RatioCount) => number): number =>
  counts.reduce((sum, one) => sum + valueOf(one), 0);
