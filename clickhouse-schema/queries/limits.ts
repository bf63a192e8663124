/**
 * Bounds of the statements that routes run in ClickHouse: event queries, experiment results, exports.
 * All of them together use at most `analyticsStatements` × 1 GiB of ClickHouse's memory for each process.
 */
export const QUERY_LIMITS = {
  /**
   * Concurrent statements of one process's routes. The embedded ClickHouse gives the service 6; the sink needs some
   * too.
   */
  analyticsStatements: 2,
  /** Requests that wait for one of them, and for how long. Beyond either 503. */
  analyticsWaiting: 32,
  analyticsWaitMs: 5_000,
  /**
   * Time, memory and threads of one statement. Beyond them 503. A million players with 5 million events took 3 to 12 s.
   */
  analyticsSeconds: 30,
  analyticsMemoryBytes: 1024 * 1024 * 1024,
  analyticsThreads: 2,
  /**
   * How long the client waits for the response: `analyticsSeconds`, and `clickhouseWaitMs` for a slot in ClickHouse.
   */
  analyticsRequestMs: 45_000,
  /**
   * Bytes of properties on one page of events; the event that exceeds it is the last. Without it, 500 events of 64 KiB
   * are 32 MiB, of which several copies exist at once.
   */
  eventPageBytes: 1024 * 1024,

  /** Rows of an experiment's results for one group of players: four for each possible variant, with a wide margin. */
  analyticsVariantRows: 1_000,
  /**
   * Groups of players in a breakdown of results, and metrics measured at once. Together with 50 variants an answer has
   * at most 10,000 comparisons, about 2 MB.
   */
  resultsGroups: 20,
  resultsGroupsDefault: 10,
  resultsMetrics: 10,
  /** Days of a lift over time, the latest. With 50 variants an answer has 9,000 comparisons. */
  resultsDays: 90,
  /**
   * Days before a period in which a player's country, platform and version are looked for. A player who is exposed
   * plays, so nearly all have them on that day; more days read more months.
   */
  resultsKnownDays: 30,
  /** Days whose players a plan of an experiment takes for those to come: four of each day of the week. */
  baselineDays: 28,
  /** Days before a player's exposure in which CUPED measures it: two weeks have each day of the week twice. */
  resultsCovariateDays: 14,
} as const;
