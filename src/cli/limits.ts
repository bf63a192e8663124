/** Bounds of the commands of the command line. */
export const CLI_LIMITS = {
  /** Hours that tokens of a secret stay valid after its rotation, at most. */
  playerTokenOverlapHours: 30 * 24,
  /** Attributes that client keys may set, as listed in a game's settings: as many as a player may have. */
  listedAttributes: 256,

  /** A record of CSV that an export or a statement writes. */
  exportRecordBytes: 64 * 1024 * 1024,
  /** Rows that one statement of an export sorts, unless a single hour has more: about 100 MB in ClickHouse. */
  exportStatementRows: 200_000,
  /**
   * Memory of the engine that reads or writes a Parquet file. A row group must fit; writers make them of 128 MiB at
   * most.
   */
  importParquetBytes: 1024 * 1024 * 1024,

  /** How long a command of the command line waits for the broker. */
  cliConnectMs: 10_000,

  /** Days or sessions of a game's lifecycle thresholds. A year without activity counts as churn in any game. */
  lifecycleThreshold: 365,
} as const;
