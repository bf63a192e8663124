/** Milliseconds of one day. In epoch milliseconds every UTC day has this length. */
export const DAY_MS = 86_400_000;

/** The UTC day of an epoch millisecond, as days since the Unix epoch. */
export function dayOf(atMs: number): number {
  return Math.floor(atMs / DAY_MS);
}

/** Whole days from `sinceMs` to `nowMs`; 0 if `sinceMs` is later, because another node's clock was ahead. */
export function elapsedDays(sinceMs: number, nowMs: number): number {
  return Math.max(0, Math.floor((nowMs - sinceMs) / DAY_MS));
}
