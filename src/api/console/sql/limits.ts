/** Bounds of the SQL page. */
export const SQL_LIMITS = {
  /**
   * A statement of the console: characters, seconds, memory, and how long the client waits, which includes a wait for a
   * slot of ClickHouse. The embedded one allows readers 4 statements of 512 MiB.
   */
  sqlLength: 20_000,
  sqlSeconds: 30,
  sqlMemoryBytes: 512 * 1024 * 1024,
  sqlRequestMs: 45_000,
  /** Rows and bytes of its result, which this process and the page hold; characters of ClickHouse's message. */
  sqlRows: 10_000,
  sqlResultBytes: 4 * 1024 * 1024,
  /**
   * Bytes of a result in ClickHouse. The client holds a row until its end, and one array could have all the memory of a
   * statement. It is more than a block of rows (65,409) that are short enough for `sqlResultBytes`.
   */
  sqlSentBytes: 64 * 1024 * 1024,
  sqlFaultLength: 2_000,
  /** Statements of one process at once, those that wait, and for how long. Beyond them 429. */
  sqlStatements: 2,
  sqlWaiting: 4,
  sqlWaitMs: 10_000,
  /** Statements of one user: one runs, so that a user cannot take all places, and one waits for its end. */
  sqlOfUser: 2,
} as const;
