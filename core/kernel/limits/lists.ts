/**
 * Bounds of the lists of static segments, and of players that segments include and exclude by name.
 *
 * A list of 1,000,000 players is 10,000 commands of `listCommandPlayers`. A process loads `listLoads` of them at once:
 * 2 × 48 MiB to recognise duplicates, 2 × 2 MiB of bodies and names, and `listWindow` commands for both. Owners hold
 * what lists changed until it is stored, a quarter of `hotPlayersBytes` (twice that in memory, 64 MiB), whatever the
 * number of lists and partitions. Together 170 MiB, and what V8 has not collected yet.
 */
export const LIST_LIMITS = {
  /** Ids in one list. Its entries and exits take the sweep 8 minutes with two partitions. */
  listPlayers: 1_000_000,
  /** The body of a list: the longest external ids, with JSON around them. */
  listBytes: 512 * 1024 * 1024,
  /** One line of a list: an external id in any script, escaped, and other columns of a CSV. */
  listLineBytes: 8 * 1024,
  /** Static segments of one game and environment. A player's state holds 100 bytes for each that lists it. */
  staticSegments: 100,
  /** Lists that one process loads at once. */
  listLoads: 2,
  /** Time in which a load comes into force, or never. The slowest sender that uWebSockets.js accepts has 20 MB. */
  listLoadMs: 30 * 60_000,
  /** How far clocks may differ. Loads of earlier versions that are older than the current one by this are dropped. */
  listClockMs: 60_000,
  /** Loads of one segment in a player's state: the current one, and others that are still being loaded. */
  listLoadsOfPlayer: 8,
  /** Lists of deleted segments that one fact removes from a player's state. */
  droppedLists: 8,
  /**
   * Players of one command. Deciding them takes about 1 ms, for which live commands wait, and with all of their overdue
   * timers (`dueSteps`) the facts fit a record.
   */
  listCommandPlayers: 100,
  /**
   * Commands in flight, of all lists that a process loads, if replies are fast, and if they are slow: two lists of
   * 1,000,000 players end within `listLoadMs` while a reply takes less than 180 ms.
   */
  listWindow: 8,
  listLeastWindow: 2,
  /** Pause before a command is sent again, and how long the service may refuse one: longer than a failover. */
  listRetryMs: 250,
  listPatienceMs: 30_000,
  /** Bytes of a body that wait for the owners before the sender must wait. */
  listWaitingBytes: 1024 * 1024,
  /** How long the rest of a refused list may take before the connection is closed. */
  listDiscardMs: 30_000,
  /** How often the idle timer of uWebSockets.js, 8 s at least, starts anew while a sender waits for its answer. */
  listKeepOpenMs: 3_000,
  /** Unknown ids that an answer names. */
  listUnknownShown: 100,
  /** Players of one request that adds some to a list. */
  listAdded: 1_000,
  /** Players that a segment includes by name, and as many that it excludes: 15 kB in every process. */
  segmentExceptions: 200,
} as const;
