/** Bounds of the commands of an import. */
export const IMPORT_SEND_LIMITS = {
  /**
   * Bits of the filter of known event ids: 64 MiB. With 10 million ids a batch has no id that is looked up in vain,
   * with 100 million most have.
   */
  importKnownIdBits: 2 ** 29,
  /** Ids that were sent since ClickHouse had all rows, about 100 bytes each. Then the import waits for its rows. */
  importRecentIds: 500_000,
  /** Ids in one statement, of at most 128 characters each: ClickHouse parses 256 KiB. */
  importLookedUpIds: 1_000,
  /** Lines of one command. Deciding them takes a few milliseconds, for which live commands wait. */
  importCommandLines: 1_000,
  /**
   * Bytes of one command, and one line more. Its facts fit a record beside live facts. Computed properties may repeat
   * the texts of an event `computedPerEvent` times: 3 MiB more, so that a record stays below `brokerPayloadBytes`.
   */
  importCommandBytes: 192 * 1024,
  /** Pause before lines are sent again, and between looks at a sink that is behind. */
  importRetryMs: 250,
  /** How long the service may refuse lines: longer than a failover and a restart. */
  importPatienceMs: 300_000,
  /** Records of FACTS that ClickHouse may be behind, at some thousand lines each: some seconds of its work. */
  importLagRecords: 200,
} as const;
