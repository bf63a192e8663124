/** Bounds of imports in the state of a player. */
export const IMPORT_STATE_LIMITS = {
  /**
   * Files that one ledger remembers. With 4,096 ledgers of a partition, game and environment, 700 files in
   * `importRememberedMs` (one each hour) leave no ledger full. A ledger has less than 1 kB, and all of them 4 MB.
   */
  importLedgerFiles: 8,
  /** How long a file is remembered at least. Then a full ledger may forget it, and a repeat imports it again. */
  importRememberedMs: 30 * 24 * 60 * 60 * 1000,

  /**
   * Facts about segments that one command may cause: a record must stay below `commitBytes`. The rest follows in the
   * next.
   */
  segmentFactsPerCommand: 2_000,
} as const;
