import type { Latency } from '../figures/statistics.ts';

/** What a load generator saw. */
export interface LoadResult {
  /** Length of the load, without the time in which the last requests were answered. */
  seconds: number;
  /** Wall time of the load's begin, in milliseconds since the epoch. */
  startedMs: number;
  sent: number;
  /** Requests that were answered, whatever the status. */
  answered: number;
  /** Answers with a status of 400 or more. */
  refused: number;
  /** Requests sent per bin of `BIN_MS`, as they went out. */
  bins: number[];
  latency: Latency;
  /** Failures by kind; kinds that did not happen are left out. */
  errors: Record<string, number>;
}

/** Length of a bin of throughput over time. */
export const BIN_MS = 500;

/** Drops the kinds that did not happen. */
export function happened(errors: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(errors).filter(([, count]) => count > 0));
}
