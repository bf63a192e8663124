/** Bounds of scoring: the model, waiting requests, and the records of scores in RECORDS. */
export const SCORING_LIMITS = {
  /** `device_id` of a score, in characters, as documented for clients. */
  scoredDeviceIdLength: 64,
  /** Installs scored in one run of a model: less than 1 ms of the event loop, and one append of records. */
  scoringBatchRows: 512,
  /** Batches at once. Further requests wait for one of them, unless they fill a batch: as many as append at once. */
  scoringBatches: 2,
  /** The longest such wait, so that a slow append does not delay the requests behind it further. */
  scoringGatherMs: 20,
  /** Score requests that wait for the model or the log. Beyond it a request is answered 503 at once. */
  scoringWaiting: 20_000,
  /** How often a model's files are compared. A change takes effect once two comparisons find the same files. */
  modelCheckMs: 1_000,

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

  /** UTC days of a report on the models: a month of drift. Each reads the game's scores of that time. */
  scoringReportDays: 31,
} as const;
