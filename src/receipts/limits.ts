/** Bounds of receipts of purchases. */
export const RECEIPT_LIMITS = {
  /** Characters of a receipt. Apple's signed transactions have about 5,000, most of them certificates. */
  payloadLength: 16_000,
  /**
   * How long ago a verified purchase may have been made, and how long its transaction is remembered: longer, so that
   * none is forgotten while its receipt is still accepted.
   */
  purchaseAgeMs: 365 * 24 * 60 * 60 * 1000,
  /** How long a receipt is tried again while its store does not answer. */
  triedMs: 3 * 24 * 60 * 60 * 1000,
  /** Pauses between attempts; the last one is repeated: 20 attempts in three days. */
  retryMs: [5_000, 30_000, 120_000, 600_000, 3_600_000, 4 * 3_600_000],
  /** Pause of a receipt whose game has `gameAttempts` in work: its place is for others meanwhile. */
  deferMs: 15_000,
  /** Receipts in work in one process, and of one game: a store that hangs for one game holds no other up. */
  attempts: 32,
  gameAttempts: 8,
  /** Receipts that the broker has handed out, over all processes. */
  handedOut: 256,
  /** How long an attempt may take before the broker gives the receipt to another process. */
  ackWaitMs: 120_000,
  /** How long a store may take to answer. */
  storeTimeoutMs: 10_000,
  /** How long the thread of the stores may take with a call before it is started anew. */
  threadTimeoutMs: 30_000,
  /** Calls that wait for the thread of the stores. */
  threadCalls: 256,
  /** Receipts that wait, per game and environment: 64 MB of the largest. More are refused until some are decided. */
  waitingOfGame: 4_000,
  /** Bytes of waiting receipts, of all games: half of what RECEIPTS may hold before it drops the oldest. */
  waitingBytes: 128 * 1024 * 1024,
  /** How long the two are known before they are read again. */
  waitingKnownMs: 1_000,
  /** How long a request waits for a read of the log. */
  logReadMs: 3_000,
  /** Verifiers of apps that are kept; they are made anew beyond it. */
  verifiers: 1_000,
  /** A refund of a transaction that the service does not know may come before its receipt is verified. */
  noticeWaitsMs: 24 * 60 * 60 * 1000,
} as const;
