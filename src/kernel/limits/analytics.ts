/**
 * Bounds of the statements that routes run in ClickHouse: event queries, experiment results, exports.
 * All of them together use at most `analyticsStatements` × 1 GiB of ClickHouse's memory for each process.
 */
export const ANALYTICS_LIMITS = {
  /**
   * Concurrent statements of one process's routes. The embedded ClickHouse gives the service 6; the sink needs some
   * too.
   */
  analyticsStatements: 2,
  /** The same for each of several processes on one machine. */
  analyticsStatementsOfMany: 1,
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

  /** Rows of an experiment's results: two for each possible variant, with a wide margin. */
  analyticsVariantRows: 1_000,
  /** Days after the first exposure in which an event may count. */
  resultsWindowDays: 90,
  /** Longest period of an experiment's results. Each request reads the events of all its months. */
  resultsSpanDays: 366,
  /**
   * Margin around a definition's creation when rows are selected by receive time: the clocks of nodes differ by less.
   */
  resultsMarginMs: 60 * 60 * 1000,
  /** A path into an event's properties: characters, and keys. */
  propertyPathLength: 256,
  propertyPathKeys: 16,

  /** Rows on one page of a player's export: the maximum, and the default. */
  exportRows: 1_000,
  exportRowsDefault: 500,
  /**
   * Bytes of rows on one page of an export; the row that exceeds it is the last. Without it, 1,000 events of 64 KiB
   * made 61 MiB of JSON in several copies: 16 such requests at once took a gigabyte.
   */
  exportPageBytes: 1024 * 1024,
} as const;
