/** Bounds that several features share and that belong to none of them. */
export const SHARED_LIMITS = {
  /** First and longest pause after ClickHouse refused an insert. The sink retries for ever and skips nothing. */
  sinkRetryFirstMs: 100,
  sinkRetryLongestMs: 5_000,

  /**
   * A query older than this is answered 503. It writes nothing, so the caller may repeat it at once. Longer than a
   * failover: lease and margin (3.5 s), up to 0.75 s until a contender looks, the take-over, and 0.25 s (`RESEND_MS`)
   * until the query is sent again.
   */
  queryDeadlineMs: 6_000,

  /** How long a stop waits for deliveries in flight. Interrupted ones are repeated. */
  deliveryStopMs: 5_000,

  /** Faults reported and stored for one event, and characters of each path and message. */
  quarantineFaults: 8,
  quarantineFaultLength: 200,

  /** IPv6 addresses of callers whose network is cached in a gateway. */
  callerAddressCache: 10_000,

  /** Log lines of a process that wait because they cannot be written. Beyond it they are lost. */
  logWaitingBytes: 1024 * 1024,

  /** How long a sink that cannot read a record leaves its lease to other processes, which may be of a newer version. */
  unreadableYieldMs: 30_000,

  /** A lease's length. A stopped owner is replaced after this plus the margin. */
  leaseMs: 3_000,
  /** A contender waits this much longer, for drift between the clocks of two nodes over one lease. */
  leaseMarginMs: 500,
  /** How often an owner renews its lease: two renewals may fail before it expires. */
  leaseRenewMs: 1_000,

  /** One purchase, in ten-thousandths: 900,000,000,000 of the game's currency, which leaves 0.08 % below 2^53. */
  purchaseAmount: 900_000_000_000 * 10_000,

  /** Days for which an exchange rate serves where newer ones are missing: weekends, holidays and a late upload. */
  rateAgeDays: 7,

  /** Nesting of objects and arrays in a body. Parsing and checking recurse, so this bounds their stack. */
  jsonDepth: 32,

  /** Readers of one process. */
  streamReaders: 5_000,
  /** Reconnect delay that readers receive (`retry`): longer than a restart, shorter than a user's patience. */
  streamRetryMs: 2_000,
} as const;
