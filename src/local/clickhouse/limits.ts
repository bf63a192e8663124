/**
 * Bounds of the embedded ClickHouse, which serves one machine.
 * All readers' statements together use at most `clickhouseReaderStatements` × 512 MiB of memory and × 4 GiB of disk.
 */
export const ENGINE_LIMITS = {
  /** The same for each of several processes on one machine. */
  analyticsStatementsOfMany: 1,

  /** Concurrent statements of readers. */
  clickhouseReaderStatements: 4,
  /** Concurrent statements of the service: inserts, snapshots, event queries, questions. */
  clickhouseServiceStatements: 7,
  /** The same without the route statements (`analyticsStatements`, `questionStatements`) of one process. */
  clickhouseOwnStatements: 4,
  /** Statements that wait for a slot, for readers and for the service each. Beyond it 503 at once. */
  clickhouseWaitingStatements: 64,
  /** How long a statement waits for a slot before 503. */
  clickhouseWaitMs: 10_000,
  /**
   * Threads for calls into the engine, each of which blocks its thread: all 11 statements at once, files and
   * compression.
   */
  clickhousePoolThreads: 16,

  /** A statement's text: ClickHouse's default `max_query_size`. */
  clickhouseQueryBytes: 256 * 1024,
  /**
   * Body of an insert after decompression: several times the sink's largest batch. A binary one is a file while it is
   * inserted, so there are as many files as concurrent statements of the service.
   */
  clickhouseBodyBytes: 128 * 1024 * 1024,
  /** A result in a format without streaming (JSON, Parquet), which is buffered as a whole. */
  clickhouseBufferedResultBytes: 128 * 1024 * 1024,

  /** Open connections of readers. One more closes the connection that was idle for longest. */
  clickhouseConnections: 256,
  /** Open connections of the service. The sink, routes, erasures and rebuilds use fewer than 20. */
  clickhouseServiceConnections: 64,
  /** Open connections for each further process of the service. */
  clickhouseProcessConnections: 20,
  /** Time from a connection, or from a request's first byte, to the end of its headers. */
  clickhouseHeadersMs: 5_000,
  /** Time until a whole request has arrived. On one machine 128 MiB take about a second. */
  clickhouseRequestMs: 120_000,
  /** Idle time of a connection between requests. The service's client closes its own after 2.5 s. */
  clickhouseKeepAliveMs: 10_000,
  /** A client that neither sends nor receives a byte for this long is disconnected: twice the longest statement. */
  clickhouseIdleMs: 120_000,
  /** How long a stop waits for running statements. */
  clickhouseStopMs: 3_000,
} as const;
