/**
 * Bounds of imports of history (`cli import`) and of exports (`cli export`). An import holds at most 2 × `importWindow`
 * commands for each partition, one line, and the read-ahead of the file: about 100 MiB with 32 partitions.
 */
export const IMPORT_LIMITS = {
  /** One line of a file. The largest body of a request: an event that the API takes fits. */
  importLineBytes: 1024 * 1024,
  /** 2000-01-01: games have no older history, and each month of rows is an insert of its own. */
  importEarliestMs: 946_684_800_000,
  /** Lines of one command. Deciding them takes about 2 ms, for which live commands wait. */
  importCommandLines: 250,
  /** Characters of one command. Its facts fit a record (`commitBytes`) beside live facts. */
  importCommandChars: 256 * 1024,
  /** Commands of one partition in flight. One round trip then carries 2,000 lines. */
  importWindow: 8,
  /** Replies slower than this halve the window: live traffic waits for the same owner. */
  importSlowMs: 100,
  /** Pause before lines are sent again, and between looks at a sink that is behind. */
  importRetryMs: 250,
  /** How long the service may refuse lines: longer than a failover and a restart. */
  importPatienceMs: 300_000,
  /** Time between two saves of how far a file is imported. What follows the last one is read again. */
  importSaveMs: 500,
  /** Records of FACTS that ClickHouse may be behind, at 2,000 lines each: some seconds of its work. */
  importLagRecords: 200,
  /** Rows that one statement of an export sorts, unless a single hour has more: about 100 MB in ClickHouse. */
  exportStatementRows: 200_000,
  /**
   * Memory of the engine that reads or writes a Parquet file. A row group must fit; writers make them of 128 MiB at
   * most.
   */
  importParquetBytes: 1024 * 1024 * 1024,
} as const;
