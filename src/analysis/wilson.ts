import { studentCritical } from './distributions.ts';

/**
 * The interval of a share that was observed as `hits` of `trials` (E. B. Wilson, Journal of the American Statistical
 * Association 22, 1927). Unlike the normal approximation it stays within 0 and 1, and is useful for few hits.
 * @param alpha error rate of the two-sided interval
 * @returns undefined without trials
 */
export function wilsonInterval(hits: number, trials: number, alpha: number): { low: number; high: number } | undefined {
  if (trials <= 0) return undefined;
  const z = studentCritical(alpha, Number.MAX_SAFE_INTEGER);
  const share = hits / trials;
  const scale = 1 + (z * z) / trials;
  const middle = (share + (z * z) / (2 * trials)) / scale;
  const half = (z / scale) * Math.sqrt((share * (1 - share)) / trials + (z * z) / (4 * trials * trials));
  return { low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}
