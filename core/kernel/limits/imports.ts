/**
 * Bounds of imports of history (`cli import`) and of exports (`cli export`). An import holds at most
 * `importWaitingBytes` of lines, what one read of the file adds, and 2 × `importWindow` commands of one partition.
 */
export const IMPORT_LIMITS = {
  /** One line of a file. The largest body of a request: an event that the API takes fits. */
  importLineBytes: 1024 * 1024,
  /** Columns of a CSV file: a line of 1 MiB could name 500,000, which each line would then be compared with. */
  importColumns: 10_000,
  /**
   * The file with rejected lines, beside the service's data. A file that is not what its name says has as many rejected
   * lines as lines, and control characters take six bytes each.
   */
  importRejectedBytes: 256 * 1024 * 1024,
  /** 2000-01-01: games have no older history, and each month of rows is an insert of its own. */
  importEarliestMs: 946_684_800_000,
  /**
   * Bits of the filter of known event ids: 64 MiB. With 10 million ids a batch has no id that is looked up in vain,
   * with 100 million most have.
   */
  importKnownIdBits: 2 ** 29,
  /** Ids that were sent since ClickHouse had all rows, about 100 bytes each. Then the import waits for its rows. */
  importRecentIds: 500_000,
  /** Ids in one statement, of at most 128 characters each: ClickHouse parses 256 KiB. */
  importLookedUpIds: 1_000,
  /** Lines whose ids are looked up together, and bytes of their properties. */
  importBatchLines: 20_000,
  importBatchBytes: 16 * 1024 * 1024,
  /** Lines of one command. Deciding them takes a few milliseconds, for which live commands wait. */
  importCommandLines: 1_000,
  /**
   * Bytes of one command, and one line more. Its facts fit a record beside live facts. Computed properties may repeat
   * the texts of an event `computedPerEvent` times: 3 MiB more, so that a record stays below `brokerPayloadBytes`.
   */
  importCommandBytes: 192 * 1024,
  /** Commands of one partition in flight, if replies are fast. */
  importWindow: 4,
  /** Bytes of lines that wait in all partitions. */
  importWaitingBytes: 32 * 1024 * 1024,
  /** Pause before lines are sent again, and between looks at a sink that is behind. */
  importRetryMs: 250,
  /** How long the service may refuse lines: longer than a failover and a restart. */
  importPatienceMs: 300_000,
  /** Time between two saves of how far a file is imported. What follows the last one is read again. */
  importSaveMs: 500,
  /** Records of FACTS that ClickHouse may be behind, at some thousand lines each: some seconds of its work. */
  importLagRecords: 200,
  /**
   * Files that one ledger remembers. With 4,096 ledgers of a partition, game and environment, 700 files in
   * `importRememberedMs` (one each hour) leave no ledger full. A ledger has less than 1 kB, and all of them 4 MB.
   */
  importLedgerFiles: 8,
  /** How long a file is remembered at least. Then a full ledger may forget it, and a repeat imports it again. */
  importRememberedMs: 30 * 24 * 60 * 60 * 1000,
  /** A record of CSV that an export or a statement writes. */
  exportRecordBytes: 64 * 1024 * 1024,
  /** Rows that one statement of an export sorts, unless a single hour has more: about 100 MB in ClickHouse. */
  exportStatementRows: 200_000,
  /**
   * Memory of the engine that reads or writes a Parquet file. A row group must fit; writers make them of 128 MiB at
   * most.
   */
  importParquetBytes: 1024 * 1024 * 1024,
} as const;
