/** Bounds of a gateway process: connections, console, streams of changed flags, rate limiting and its stop. */
export const GATEWAY_LIMITS = {
  /** How long a person reads the same thing again without a further entry, and reads that a process remembers. */
  auditReadMs: 15 * 60_000,
  auditReads: 10_000,
  /** How long a stopping process waits until the last outcomes are stored. */
  auditCloseMs: 1_000,

  /** How often a process ends the streams of sessions that have expired. */
  sessionLookMs: 60_000,
  /** Characters of a Cookie header that is searched for a session: other services of the host may set cookies too. */
  cookieLength: 8_192,
  /** Requests per minute of one user, as of a `growth` key. */
  userRequestsPerMinute: 1_000,

  /** How often a process looks for a console that is being built. */
  consoleLookMs: 500,
  /** Bytes of the console's files, which each gateway holds in memory, plain and compressed. */
  consoleBytes: 16 * 1024 * 1024,

  /** Open HTTP connections of one process. A connection over it is closed at once. */
  connections: 20_000,
  /**
   * Bytes of responses that clients have not read, over all connections of a process: 512 of the largest echo of flag
   * keys (256 KB); 20,000 connections would otherwise hold 5 GB. The kernel holds up to 4 MB more for each connection.
   */
  unreadAnswerBytes: 128 * 1024 * 1024,

  /** How often gateways exchange their request counts. A burst may exceed a rate limit for this long. */
  rateExchangeMs: 250,
  /** Counts (one per key and second) in one message of that exchange. */
  rateCountsPerMessage: 2_000,

  /** How long a stopping server waits for requests in flight: the deadline of a command, its grace, and 0.5 s. */
  serverCloseMs: 6_500,

  /** Bytes of one reader's messages that wait for the network: a last bound, above what the feed allows. */
  streamQueueBytes: 4 * 1024 * 1024,

  /**
   * Streams of changed flags in one process. With `streamReaders` they leave 5,000 of `connections` for requests.
   */
  changesReaders: 10_000,
  /**
   * Of one caller of a client key with a rate limit: a tenth, because client keys are public and an address may serve
   * hundreds of players. Callers of enterprise keys are not counted apart.
   */
  changesReadersOfCaller: { growth: 100, pro: 500, enterprise: 8_000 },
  /** Messages about a change in one turn of the event loop, as for heartbeats. */
  changesAtOnce: 200,
  /** Evaluations per second to which the clients of one process spread after a change: half of what it can do. */
  changesRefetchesPerSecond: 5_000,
  /** Bytes unread by one reader, above those in the system's buffers: some 40 messages. 10,000 readers hold 40 MB. */
  changesReaderBytes: 4 * 1024,
  /** Clients of a gateway that ended reconnect over this time, 1,000 to 1,250 in a second. */
  changesRetrySpreadMs: 8_000,
  /** Interval of heartbeats where no setting gives one. */
  changesHeartbeatMs: 30_000,
} as const;
