/**
 * Bounds of the lists of static segments, and of players that segments include and exclude by name.
 *
 * A list of 1,000,000 players is 10,000 commands of `listCommandPlayers`. A process loads `listLoads` of them at once:
 * 2 × 48 MiB to recognise duplicates, 2 × 2 MiB of bodies and names, and `listWindow` commands for both. Owners hold
 * what lists changed until it is stored, a quarter of `hotPlayersBytes` (twice that in memory, 64 MiB), whatever the
 * number of lists and partitions. Together 170 MiB, and what V8 has not collected yet.
 */
export const LIST_LOAD_LIMITS = {
  /** One line of a list: an external id in any script, escaped, and other columns of a CSV. */
  listLineBytes: 8 * 1024,
  /** Lists that one process loads at once. */
  listLoads: 2,
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
} as const;
