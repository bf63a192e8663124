/** Bounds of the checks of the log, the disk and of readiness. */
export const HEALTH_LIMITS = {
  /** How long a position that was read from the broker is given again, and how long reading one may take. */
  freshAsOfKeptMs: 250,
  freshAsOfWaitMs: 500,

  /**
   * How long a fresh process waits for partitions without an owner after another partition has answered. Longer than a
   * failover: then the first requests of all players succeed. Bounded, so that a gateway can start while one partition
   * stays without an owner.
   */
  readyPatienceMs: 30_000,

  /** How often the free space of the disk is read. */
  diskWatchMs: 1_000,
  /**
   * While less is free, writes are refused. Ingest at full rate takes at most 40 MB/s (log, tables and merges), so the
   * reserve lasts 25 s, and for days once only own records are written.
   */
  diskReserveBytes: 1024 * 1024 * 1024,
  /** The reserve is at most this share of the file system. */
  diskReserveShare: 0.05,
  /** Writes are accepted again when this many times the reserve is free, so that the state does not flap. */
  diskResumeFactor: 1.2,
  /** A broker that stores nothing is restarted after `logSilentMs` if the disk was almost full within this time. */
  diskLowRecentMs: 600_000,

  /** Without an answer to appends for this long, writes are refused: one unanswered append and a second that waits. */
  logSilentMs: 3_000,
  /** Without an answer to appends for this long a local broker is restarted. Longer than stalls of a busy disk. */
  logStuckMs: 15_000,
} as const;
