import { chiSquareUpper } from './distributions.ts';

/** Whether players arrived in the ratio of the weights. */
export interface SampleRatio {
  /** P-value of Pearson's χ² test; null if there is nothing to compare. */
  pValue: number | null;
  /** The split is faulty or players are missing: no other figure of the experiment can be trusted. */
  mismatch: boolean;
}

/**
 * Pearson's χ² test of players against weights (Fabijan et al., "Diagnosing Sample Ratio Mismatch in Online Controlled
 * Experiments", KDD 2019). Any player in a variant of weight 0 is a mismatch.
 */
export function sampleRatio(cells: readonly { players: number; weight: number }[]): SampleRatio {
  if (cells.some(({ players, weight }) => weight === 0 && players > 0)) return { pValue: 0, mismatch: true };
  const weighted = cells.filter(({ weight }) => weight > 0);
  const players = weighted.reduce((sum, cell) => sum + cell.players, 0);
  const weights = weighted.reduce((sum, cell) => sum + cell.weight, 0);
  if (weighted.length < 2 || players === 0) return { pValue: null, mismatch: false };
  const statistic = weighted.reduce((sum, cell) => {
    const expected = (players * cell.weight) / weights;
    return sum + (cell.players - expected) ** 2 / expected;
  }, 0);
  const pValue = chiSquareUpper(statistic, weighted.length - 1);
  return { pValue, mismatch: pValue < MISMATCH_BELOW };
}

/** Low enough that daily looks rarely raise a false alarm; a real fault of the split has a far lower p-value. */
const MISMATCH_BELOW = 0.001;
