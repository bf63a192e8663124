/** Bounds of traces of events. */
export const TRACE_LIMITS = {
  /** The same for a request: with the player's id it takes milliseconds. Traces that one process makes at once. */
  traceRequestSeconds: 20,
  traceRequests: 2,
  /** The same for one game and for one person, so that one of them cannot take all. */
  traceRequestsOfCaller: 1,
  /** Records of the log that it reads beyond the rows, and for how long: what a sink is behind at most for minutes. */
  traceRecords: 200_000,
  traceLogMs: 30_000,
} as const;
