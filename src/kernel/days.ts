/** Milliseconds of one day; UTC days have no other length in epoch milliseconds. */
export const DAY_MS = 86_400_000;

/** The UTC day an epoch millisecond falls on, as days since the Unix epoch. */
export function dayOf(atMs: number): number {
  return Math.floor(atMs / DAY_MS);
}

/** Whole days from `sinceMs` to `nowMs`; 0 also where another node's clock was ahead when `sinceMs` was written. */
export function elapsedDays(sinceMs: number, nowMs: number): number {
  return Math.max(0, Math.floor((nowMs - sinceMs) / DAY_MS));
}
