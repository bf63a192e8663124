/** Bounds of the log: the broker's streams, and the time-outs and buffers of its client. */
export const LOG_LIMITS = {
  /**
   * AUDIT: bytes of the stream, which ClickHouse empties. At 6 KB a change, 170,000 changes while ClickHouse is away;
   * then changes are refused, because they could not be audited.
   */
  auditBytes: 1024 * 1024 * 1024,

  /** The broker's `max_payload`: twice the largest record. */
  brokerPayloadBytes: 8 * 1024 * 1024,

  /** REQUESTS: age at which a request is dropped, processed or not: twelve times the deadline of a command. */
  requestsMaxAgeMs: 60_000,
  /** REQUESTS: bytes in the broker's memory; the oldest are dropped first. 5 s of deadline at 50 MB/s. */
  requestsBytes: 256 * 1024 * 1024,
  /** REQUESTS: window in which a batch published twice is recognised; at least twice the deadline. */
  requestsDuplicateWindowMs: 30_000,

  /**
   * How long a write waits for its acknowledgement before its outcome is unknown. One retry fits the command's
   * deadline.
   */
  logRequestMs: 2_000,
  /** Records that a reader buffers before it stops pulling. */
  readerBufferRecords: 256,
  /** Bytes that a reader buffers before it stops pulling. */
  readerBufferBytes: 16 * 1024 * 1024,
  /**
   * Records and bytes that a shared reader keeps for the slowest sink; one further behind reads the log by itself. At
   * 5,000 records/s an insert of a second fits.
   */
  sharedReaderRecords: 8_192,
  sharedReaderBytes: 16 * 1024 * 1024,
  /** A sink with fewer stored records before it than this joins the shared reader. */
  sharedReaderNear: 256,
  /** Pause before a shared reader that failed is opened again; until then each sink reads by itself. */
  sharedReaderReopenMs: 1_000,

  /**
   * How long erased players are remembered, for replays of FACTS and waiting deliveries: longer than either is kept.
   */
  erasureMarkMs: 35 * 24 * 60 * 60 * 1000,

  /**
   * How long a stream token is valid, and how long its bucket keeps what counts once: a sign-in by the identity
   * provider (`openIdSeconds`) is the longest. Clocks differ by less than the difference.
   */
  streamTokenMs: 60_000,
  streamTokenKeptMs: 660_000,

  /**
   * How long the intent of a merge is kept: the marks of ended ones must not stay forever. One that could not go on for
   * this long goes on with the next request that names the guest.
   */
  mergeIntentKeptMs: 7 * 24 * 60 * 60 * 1000,

  /** RECEIPTS: bytes of the stream, twice what its writers let wait (`RECEIPT_LIMITS.waitingBytes`). */
  receiptsBytes: 256 * 1024 * 1024,
  /**
   * How long it is known which player has a transaction of a store: longer than a receipt is accepted
   * (`RECEIPT_LIMITS.purchaseAgeMs`). 250 bytes each.
   */
  receiptClaimMs: 400 * 24 * 60 * 60 * 1000,

  /** How long a webhook's notes (first failure, latest recovery) are kept: seven times `webhookFailingMs`. */
  webhookNoteMs: 35 * 24 * 60 * 60 * 1000,
} as const;
