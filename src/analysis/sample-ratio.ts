import { chiSquareUpper } from './distributions.ts';

/** Whether players arrived in the ratio the weights ask for. */
export interface SampleRatio {
  /** Of Pearson's χ² test; null when there is nothing to compare. */
  pValue: number | null;
  /** The split itself is broken, or players go missing: no other figure of the experiment can be trusted. */
  mismatch: boolean;
}

/**
 * Pearson's χ² test of players against weights (Fabijan et al., "Diagnosing Sample Ratio Mismatch in Online Controlled Experiments",
 * KDD 2019). Players in a variant of weight 0 are a mismatch without any test.
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

/** So low that an experiment looked at every day seldom cries wolf; a real fault of the split is far below it. */
const MISMATCH_BELOW = 0.001;
