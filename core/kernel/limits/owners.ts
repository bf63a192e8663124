/** Bounds of a partition's owner: leases, the local store of players, snapshots, retention and erasure. */
export const OWNER_LIMITS = {
  /** A lease's length. A stopped owner is replaced after this plus the margin. */
  leaseMs: 3_000,
  /** A contender waits this much longer, for drift between the clocks of two nodes over one lease. */
  leaseMarginMs: 500,
  /** How often an owner renews its lease: two renewals may fail before it expires. */
  leaseRenewMs: 1_000,

  /** A follower this close to the end of FACTS is ready: its take-over then takes a fraction of a second. */
  followLagMs: 500,
  /** How often a ready follower reads the end of FACTS. */
  followMs: 500,
  /**
   * A partition without an owner is prepared by the second in rank after this, by the third after twice this, and so
   * on: the first in rank may need minutes to rebuild. Longer than a restart with a local store takes.
   */
  standInMs: 5_000,
  /** Pause after a member failed to prepare or to lead a partition; doubled with each failure in a row. */
  refusalMs: 2_000,
  refusalLedMs: 30_000,
  refusalMaxMs: 5 * 60 * 1000,
  /** The longest pause while no other member accepts the partition. */
  refusalAloneMs: 5_000,
  /** A term that lasted this long ends a row of failures: twice the longest pause. */
  steadyTermMs: 10 * 60 * 1000,
  /**
   * A faulty local store is discarded at most once in this time, because its disk may damage the next one too. A
   * rebuild of 1,000,000 players takes a minute: at most a tenth of the time.
   */
  storeDiscardMs: 10 * 60 * 1000,
  /** An owner hands its partition over after its local store could not be written for this long. */
  storeFailureMs: 5_000,

  /** How often a process compares its clock with the broker's, and how soon again if the clock seems wrong. */
  clockCheckMs: 2_000,
  clockRecheckMs: 250,
  /**
   * A clock this far from the broker's is wrong. Two right clocks differ by less than twice this, which leaves 3 s of a
   * command's deadline of 5 s.
   */
  clockToleranceMs: 1_000,

  /**
   * How often changed players are written to the local store. A player that changes often is written once for all
   * changes: at 250 ms the writes took 3.8 µs an event. The cost is one more second of the log to replay after a crash.
   */
  storeFlushMs: 1_000,
  /**
   * Estimated bytes of players in memory, per process; the real figure is about twice as high. An active player takes
   * 2.9 kB, so this holds 45,000 active players or 80,000 who just registered. The others are read from the local store
   * when they come.
   */
  hotPlayersBytes: 128 * 1024 * 1024,
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
   * Snapshots that a cold take-over sorts at once, and their bytes. Two such gatherings are in memory at a time:
   * 80 MiB, and about 500 bytes for each of 50,000 outlines.
   */
  rebuildSortEntities: 25_000,
  rebuildSortBytes: 40 * 1024 * 1024,
  /** Of these, snapshots in one write, and their bytes. The event loop stands still for 20 ms to 50 ms. */
  rebuildBatchEntities: 2_000,
  rebuildBatchBytes: 4 * 1024 * 1024,
  /** How often a cold take-over reports its progress. */
  rebuildReportMs: 5_000,
  /**
   * Snapshots are loaded instead of replaying FACTS if they save more than `rebuildReplayBytes` of it (2 s) and
   * `rebuildEntityBytes` per snapshot: loading one takes as long as replaying this much.
   */
  rebuildReplayBytes: 64 * 1024 * 1024,
  rebuildEntityBytes: 2_000,

  /** Days after which FACTS holds nothing of an erased player, as stated in the receipts of erasures. */
  logRetentionDays: 30,
  /**
   * Longest retention of FACTS, and the longest time a node may be away and still resume, while there is room
   * (`factsTrimFromShare`). Two hours shorter than receipts state: an idle partition's hourly record, the longest
   * snapshot interval and `trimMs` delay the trimmer.
   */
  factsRetentionMs: (30 * 24 - 2) * 60 * 60 * 1000,
  /** How often the trimmer looks for records past their retention. */
  trimMs: 60_000,
  /**
   * How long erased players are remembered, for replays of FACTS and waiting deliveries: longer than either is kept.
   */
  erasureMarkMs: 35 * 24 * 60 * 60 * 1000,
} as const;
