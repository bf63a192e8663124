/** Bounds of scoring: the model, waiting requests, and the records of scores in RECORDS. */
export const SCORING_LIMITS = {
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
} as const;
