/** Bounds of the appends to RECORDS. */
export const RECORD_LIMITS = {
  /**
   * How long score records may take to be stored before their callers are answered 503. The duplicate window of RECORDS
   * is far longer, so a message sent again is stored once.
   */
  recordDeadlineMs: 5_000,
  /** Score records in one RECORDS message: at most about 500 bytes each, so less than 1 MiB. */
  recordsPerMessage: 2_000,
  /** Score records of one process that wait to be stored. Beyond it 503 at once. A challenger doubles their number. */
  recordsPending: 50_000,
  /**
   * Concurrent appends of score records. With one, a quarter of the main thread waited for the broker at 512
   * connections.
   */
  recordsInFlight: 2,
} as const;
