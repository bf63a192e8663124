/** Bounds of the metrics of open connections. */
export const METRICS_LIMITS = {
  /** Heartbeats written in one turn of the event loop: 1 to 2 ms, even if all readers connected at the same moment. */
  streamBeatsAtOnce: 200,
} as const;
