/**
 * Bounds of the measured freshness of outputs. One process holds 3 windows of at most `freshnessSamples` delays: 30 kB.
 */
export const FRESHNESS_LIMITS = {
  /** One event of each second is traced through each output of a process: enough for a p99 over the window. */
  freshnessEveryMs: 1_000,
  /** The window of the figures, and the delays in it: those of two processes, of more processes the latest. */
  freshnessWindowMs: 300_000,
  freshnessSamples: 600,
  /** Traced events that wait for one output. While an output stands still it reads no further, so few ever do. */
  freshnessPending: 64,
  /** How often a process reports new delays to the others: a message of 0.1 kB. Without new ones, how often. */
  freshnessReportMs: 2_000,
  freshnessIdleReportMs: 10_000,
  /** Delays in one report; more come only while an output catches up. */
  freshnessReported: 64,
} as const;
