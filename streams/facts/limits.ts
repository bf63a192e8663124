/** Bounds of FACTS: its size, its trimming and what is decoded of it. */
export const FACTS_LIMITS = {
  /** Bytes of records whose commits one sink of a thread has decoded and the other one has not taken yet. */
  sharedDecodeBytes: 1024 * 1024,

  /**
   * How often a process reads the size of FACTS, and how often while a trim is near. In between it adds what its own
   * owners append.
   */
  factsPollMs: 1_000,
  factsPollNearMs: 200,
  /**
   * The part of FACTS that commands leave free: a sixteenth, at least 256 MiB, at most a quarter. Of 64 GiB it is 4
   * GiB: 32 partitions with a record in flight (128 MiB), two polls at 50 MB/s from other processes (100 MB), and the
   * owners' own records: a snapshot of each of the 90,000 players in memory takes 0.2 to 1.8 GB, the rest a few MB.
   */
  factsReserveShare: 1 / 16,
  factsReserveBytes: 256 * 1024 * 1024,
  factsReserveMostShare: 1 / 4,
  /**
   * Of the bytes that commands may fill: where trimming for room begins, and where it ends. Of 64 GiB 9 GiB remain
   * above the first share, three minutes at 50 MB/s; a trim takes a second or two.
   */
  factsTrimFromShare: 0.85,
  factsTrimToShare: 0.75,
  /**
   * How often a process forecasts when FACTS is full (a read for each partition and sink), over which time it measures
   * the growth, and how often it logs a warning.
   */
  factsForecastMs: 10_000,
  factsGrowthMs: 10 * 60 * 1000,
  factsLineMs: 60 * 60 * 1000,
  /**
   * A warning comes when commands would be refused within this time, which leaves a weekend to act, or when so much of
   * their bytes cannot be trimmed. Held bytes below the last share are the normal lag of snapshots.
   */
  factsWarnMs: 3 * 24 * 60 * 60 * 1000,
  factsHeldShare: 0.5,
  factsHeldNoise: 0.05,
  /** What a partition has held for less does not warn: an hourly mark and the longest delay of a snapshot. */
  factsMarkLagMs: 75 * 60 * 1000,

  /** How often the trimmer looks for records past their retention. */
  trimMs: 60_000,
} as const;
