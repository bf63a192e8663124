/**
 * Holm's adjusted p-values of several hypotheses: whoever rejects those below α rejects a true one with probability α
 * at most, whatever they depend on (Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian
 * Journal of Statistics 6, 1979). In ascending order the k-th of m is the largest (m − j + 1) · p_j of j ≤ k.
 *
 * Always-valid p-values stay always valid: the first true hypothesis that is rejected, at whatever look, has p ≤ α/t
 * with t true ones, and all of them together reach that with probability α at most.
 * @param pValues from 0 to 1; null: not known. It counts as a hypothesis that is not rejected, because a family that
 *   grows with the data would adjust for too few
 * @returns in the same order, null where nothing is known
 */
export function holm(pValues: readonly (number | null)[]): (number | null)[] {
  const adjusted: (number | null)[] = pValues.map(() => null);
  let largest = 0;
  const ascending = pValues
    .flatMap((pValue, place) => (pValue === null ? [] : [{ pValue, place }]))
    .toSorted((one, other) => one.pValue - other.pValue);
  for (const [rank, { pValue, place }] of ascending.entries()) {
    largest = Math.max(largest, Math.min(1, (pValues.length - rank) * pValue));
    adjusted[place] = largest;
  }
  return adjusted;
}
