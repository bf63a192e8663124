import { chiSquareUpper } from './distributions.ts';

/** Whether players arrived in the ratio of the weights. */
export interface SampleRatio {
  /** P-value of Pearson's χ² test; null if there is nothing to compare, or too few players are independent. */
  pValue: number | null;
  /** The split is faulty or players are missing: no other figure of the experiment can be trusted. */
  mismatch: boolean;
}

export interface RatioCell {
  players: number;
  weight: number;
  /** The sum of the squares of the numbers of players who were drawn together; absent: each was drawn alone. */
  squares?: number;
}

/**
 * Pearson's χ² test of players against weights (Fabijan et al., "Diagnosing Sample Ratio Mismatch in Online Controlled
 * Experiments", KDD 2019). Any player in a variant of weight 0 is a mismatch.
 *
 * Players who were drawn together are no independent ones: the statistic is divided by the design effect Σm² / Σm, m
 * the number of players of a cluster (Rao and Scott, "The Analysis of Categorical Data from Complex Sample Surveys",
 * Journal of the American Statistical Association 76, 1981). Of clusters of one size it is the test of their number.
 */
export function sampleRatio(cells: readonly RatioCell[]): SampleRatio {
  if (cells.some(({ players, weight }) => weight === 0 && players > 0)) return { pValue: 0, mismatch: true };
  const weighted = cells.filter(({ weight }) => weight > 0);
  const players = weighted.reduce((sum, cell) => sum + cell.players, 0);
  const weights = weighted.reduce((sum, cell) => sum + cell.weight, 0);
  if (weighted.length < 2 || players === 0) return { pValue: null, mismatch: false };
  const squares = weighted.reduce((sum, cell) => sum + (cell.squares ?? cell.players), 0);
  const effect = squares / players;
  const least = Math.min(...weighted.map(({ weight }) => (players * weight) / weights)) / effect;
  if (effect > 1 && least < LEAST_EXPECTED) return { pValue: null, mismatch: false };
  const statistic = weighted.reduce((sum, cell) => {
    const expected = (players * cell.weight) / weights;
    return sum + (cell.players - expected) ** 2 / expected / effect;
  }, 0);
  const pValue = chiSquareUpper(statistic, weighted.length - 1);
  return { pValue, mismatch: pValue < MISMATCH_BELOW };
}

/** Clusters of one variant below which χ² is no approximation (Cochran, Biometrics 10, 1954). */
const LEAST_EXPECTED = 5;

/** Low enough that daily looks rarely raise a false alarm; a real fault of the split has a far lower p-value. */
const MISMATCH_BELOW = 0.001;
