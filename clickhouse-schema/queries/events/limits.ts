/** Bounds of the queries that read events. */
export const EVENT_QUERY_LIMITS = {
  /**
   * Margin around a definition's creation when rows are selected by receive time: the clocks of nodes differ by less.
   */
  resultsMarginMs: 60 * 60 * 1000,

  /**
   * Names in the dictionary of events: three times as many as a game has schemas. Newest events of a name whose
   * properties are read: a few granules of each part, at most 64 MiB. The view bounds properties to 200.
   */
  dictionaryNames: 1_500,
  dictionaryEvents: 1_000,

  /** Rows in one ClickHouse insert. */
  sinkBatchRows: 50_000,

  /** Memory of one statement of a reader. Beyond half of it, sorts and groups use the disk. */
  clickhouseReaderMemoryBytes: 512 * 1024 * 1024,
  /** Threads of one statement of a reader: the sink keeps a share of a small machine. */
  clickhouseReaderThreads: 2,

  /** Rows of past events that one statement sorts, often 100 MB, and its memory: it sorts larger rows on disk. */
  fillSortRows: 500_000,
  fillMemoryBytes: 512 * 1024 * 1024,

  /** Rows and delivery attempts that the trace of one event shows. */
  traceRows: 10,
  traceAttempts: 200,
  /** Running time of its statements: event ids have no index. 100,000,000 of them are read in about 20 s. */
  traceSeconds: 60,

  /** Names of one kind: more events or attributes are names by mistake. Comparing one with all takes 10 ms. */
  namesKnown: 2_000,
  /** Players or events whose names are read: 20 ms of ClickHouse. */
  namesSampled: 2_000,
} as const;
