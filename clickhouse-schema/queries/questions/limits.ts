/** Bounds of the queries that answer analytics questions. */
export const QUESTION_LIMITS = {
  /**
   * Questions of the query API that one process asks ClickHouse at once, beside `analyticsStatements`: a long one never
   * keeps pages of events waiting. All processes of a machine together use 512 MiB for each.
   */
  questionStatements: 1,
  /** Questions of one process that wait for it, and for how long: two of the longest. Beyond either 503. */
  questionsWaiting: 16,
  questionsWaitMs: 30_000,
  /**
   * Time, memory and rows read of one question; beyond one of them 422. Groups and sorts use the disk beyond a quarter
   * of the memory. 10,000,000 rows take 0.1 to 6 s.
   */
  questionSeconds: 15,
  questionMemoryBytes: 512 * 1024 * 1024,
  questionRows: 500_000_000,
  /** Conditions of a question or of a step, values of one, and characters of a value, also of one that is shown. */
  questionFilters: 8,
  questionValues: 50,
  questionValueLength: 512,
} as const;
