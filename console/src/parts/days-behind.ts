/** Days follow their rows within seconds, and an answer is given again for 10 s; the browser's clock may be off too. */
const CURRENT_MS = 120_000;

/**
 * How far the days of an answer are behind it, in milliseconds; Infinity while all are built anew; `undefined`: they
 * are current, or the answer does not read days.
 */
export function daysBehind(builtTo: string | null | undefined, answeredAt: number): number | undefined {
  if (builtTo === undefined) return undefined;
  if (builtTo === null) return Number.POSITIVE_INFINITY;
  const behindMs = answeredAt - Date.parse(builtTo);
  return behindMs > CURRENT_MS ? behindMs : undefined;
}
