/** How fast a backlog went out. */
export interface BacklogRate {
  perSecond: number;
  /** What had not arrived yet when the load ended. */
  backlog: number;
}

/** The last ones arrive one by one, and show no rate. */
const COUNTED_SHARE = 0.95;

/**
 * The rate at which a backlog arrived after its load had ended, up to 95 % of all: only the output was at work then.
 * Where less than half was left by then, the rate of all arrivals, from the first one on.
 * @param arrivedMs when each delivery arrived, in any order
 * @param loadEndedMs when the last event was accepted
 */
export function backlogRate(arrivedMs: readonly number[], loadEndedMs: number): BacklogRate {
  const sorted = arrivedMs.toSorted((a, b) => a - b);
  const counted = Math.floor(sorted.length * COUNTED_SHARE);
  const lastMs = sorted[counted - 1] ?? Number.NaN;
  const early = sorted.filter((atMs) => atMs <= loadEndedMs).length;
  const backlog = sorted.length - early;
  const isBacklog = backlog >= sorted.length / 2;
  const fromMs = isBacklog ? loadEndedMs : (sorted[0] ?? Number.NaN);
  return { perSecond: ((counted - (isBacklog ? early : 0)) * 1000) / (lastMs - fromMs), backlog };
}
