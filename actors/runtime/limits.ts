/** Bounds of the owner of a partition: commits, snapshots, sweeps and previews. */
export const OWNER_LIMITS = {
  /** How late a campaign's scheduled time may still take effect. After a longer outage it counts as missed. */
  scheduleLateMs: 24 * 60 * 60 * 1000,

  /**
   * Queries that wait in an owner for an append or a proof of ownership. Beyond it they are dropped; the gateway
   * repeats them.
   */
  waitingQueries: 20_000,

  /** One FACTS record. All facts of a command must fit: four times the largest body. */
  commitBytes: 4 * 1024 * 1024,
  /**
   * Time between the moments at which the owners of a process append, while commands follow each other. At 1,000
   * events/s it halves the records of an event and adds 1.5 ms to the median.
   */
  commitSpacingMs: 3,
  /** Facts in one FACTS record. */
  commitFacts: 5_000,

  /** Players with a past that wait for a record, in one partition: some megabytes. The source then pauses. */
  fillWaiting: 500,
  /** Players whose past one record adds: about 2 ms of deciding, which live commands in that record wait for. */
  fillPlayers: 20,
  /**
   * Rows of past events are read for so many milliseconds at a time, and for this share of the time of a process: its
   * partitions take turns. A second of processor time takes four seconds.
   */
  fillSliceMs: 2,
  fillShare: 0.25,
  /** Time between looks at what ClickHouse holds, and before another attempt after a failure. */
  fillHeldMs: 500,
  fillRetryMs: 5_000,

  /** Steps of one commit, or of one round of queries, before others get a turn: about 20 ms, and one command more. */
  turnSteps: 2_000_000,

  /** An owner hands its partition over after its local store could not be written for this long. */
  storeFailureMs: 5_000,

  /**
   * How often changed players are written to the local store. A player that changes often is written once for all
   * changes: at 250 ms the writes took 3.8 µs an event. The cost is one more second of the log to replay after a crash.
   */
  storeFlushMs: 1_000,
  /** How often the local store is compacted at a start after erasures. Compaction copies all players. */
  compactionMs: 24 * 60 * 60 * 1000,

  /**
   * Shortest time between two snapshots of a changing player, and the longest time until one after a change of its
   * sessions, purchases, stage or identity.
   */
  snapshotIntervalMs: 60_000,
  /**
   * Longest time until a snapshot after any change. While a player keeps changing, its interval grows up to this. A
   * cold rebuild replays FACTS of this time: of 10,000 players with 8 events a minute 242 MB, or 8 s; at 5,000 events a
   * second 900 MB, or 30 s.
   */
  longestSnapshotIntervalMs: 15 * 60 * 1000,
  /** Delay of a player's first snapshot: shorter, so that new players appear in ClickHouse at once. */
  firstSnapshotMs: 2_000,
  /** Snapshots in one record. This many delay commands by a few milliseconds only. */
  snapshotsPerCommit: 500,
  /** An idle owner appends an empty record this often, so that its subject never becomes empty. */
  idleRecordMs: 60 * 60 * 1000,

  /**
   * Exposures and served flags of one partition that wait for the next commit. A later evaluation records any beyond
   * it.
   */
  waitingExposures: 20_000,

  /** Players evaluated in one round of a sweep, after a segment changed. */
  sweepEntities: 256,
  /** Time of one round, and the factor of the pause after it: a sweep takes at most a fifth of the owner's time. */
  sweepMs: 2,
  sweepRest: 4,
  /**
   * Membership changes in one round, and the pause for each: 1,000 changes a second and partition. A change costs far
   * more after the round than in it: the store, a snapshot, rows in ClickHouse.
   */
  sweepChanges: 50,
  sweepChangeMs: 1,
  /**
   * Steps that players of one game and environment may take before a sweep continues with the others: 0.2 s, enough for
   * more than 10,000 players with 20 plain segments.
   */
  sweepShareSteps: 20_000_000,
  /** Shortest pause between two rounds. */
  sweepPauseMs: 5,
  /** Time of one query of a preview, for which live commands wait. */
  previewSliceMs: 8,
  /** Conditions of previews that an owner keeps compiled. */
  previewsHeld: 4,
  /** How often the progress of a sweep is stored. */
  sweepProgressMs: 1_000,
} as const;
