/** Bounds of the ClickHouse sink: batches, retries, and the erasure of players from its tables. */
export const SINK_LIMITS = {
  /** FACTS bytes in one ClickHouse insert: two of the largest records. */
  sinkBatchBytes: 8 * 1024 * 1024,
  /** Rows made before other work of the thread gets a turn: 2 to 4 ms, beside the rows of one record. */
  sinkRowsAtOnce: 256,
  /**
   * Least time from the begin of an insert to the begin of the next, and from its end. An insert costs the embedded
   * engine 15 to 60 ms besides 1 µs a row. A row is visible about one interval and one insert after its event. On a
   * busy machine inserts are slow, and the pause makes them fewer.
   */
  sinkIntervalMs: 600,
  sinkPauseMs: 250,
  /** How long the first rows after a quiet time wait for those that come with them. */
  sinkLingerMs: 20,
  /** One insert or position write. Beyond it the outcome is unknown, and the sink repeats the same write. */
  sinkRequestMs: 60_000,
  /** How long a stopping sink may take to finish its current batch. The next start repeats an unfinished one. */
  sinkStopMs: 4_000,
  /** Pause before the sink retries to read its log or stream. */
  sinkReopenMs: 500,
  /** How often a sink checks whether a ClickHouse that lost rows was restored or repaired. */
  sinkLostCheckMs: 5_000,
  /** How often an idle sink checks that it still holds its lease. */
  sinkIdleCheckMs: 1_000,

  /** Players erased with one pass over the tables. Their ids must fit a statement's text (`clickhouseQueryBytes`). */
  erasuresAtOnce: 500,
  /** Pause between two passes, while erasures remain or ClickHouse is unavailable. */
  eraseAgainMs: 1_000,
  /** How often the sink searches for erasures that an earlier sink left. New ones start a pass directly. */
  eraseCheckMs: 60_000,
  /** How long the sink waits for one deletion before it checks again; the deletion continues meanwhile. */
  eraseRequestMs: 300_000,
  /**
   * How long webhook attempts that were in flight at an erasure may still be logged: one attempt and the log's
   * deadline.
   */
  lateRowsMs: 60_000,

  /**
   * Merges whose rows are moved with one pass over the tables: a pass costs about as much for 300 as for one. Their ids
   * must fit a statement's text (`clickhouseQueryBytes`) six times, their names once.
   */
  mergesAtOnce: 300,
  mergeNameBytes: 64 * 1024,
  /** Pending merges that are read to find those that may be moved together. */
  mergesRead: 2_000,
  /** How often the mover looks for merges. A rest after a pass is a multiple of its duration: 5 % of a core. */
  mergeEveryMs: 10_000,
  mergeRestShare: 20,
  /** The longest rest: figures of a merged player are in two parts until then. */
  mergeRestMostMs: 600_000,
  /** Pause before the mover tries again, after an error or while an earlier statement runs. */
  mergeAgainMs: 1_000,
  /** How long the mover waits for one statement; a mutation continues meanwhile. */
  mergeRequestMs: 300_000,

  /** Least time between builds of a game. The rest after one is a multiple of its duration: 5 % of a core. */
  playerDaysEveryMs: 10_000,
  playerDaysRestShare: 20,
  /** The longest rest. An import of years takes minutes to build: its last rows must not wait for hours. */
  playerDaysRestMostMs: 600_000,
  /** Staged days that one insert writes at the end of a build. Below it, readers see all of a build at once. */
  playerDaysSliceRows: 500_000,
  /** Memory of one statement of a build. It spills groups to disk beyond a quarter; a million players need 200 MB. */
  playerDaysMemoryBytes: 512 * 1024 * 1024,
  /** How long the builder waits for one statement. A day of 20 million events takes seconds. */
  playerDaysRequestMs: 600_000,
} as const;
