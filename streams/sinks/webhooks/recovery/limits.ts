/** Bounds of recoveries and other operations on webhooks. */
export const RECOVERY_LIMITS = {
  /** Concurrent recoveries, and deliveries that each queues per second. New deliveries use the same queue. */
  recoveriesAtOnce: 4,
  recoveryPerSecond: 500,
  /**
   * A recovery reads facts up to this long after its request: by then every process has the definitions of the request.
   */
  recoverySeamMs: 5_000,
  /**
   * How often the progress of a recovery is stored. After a crash, ids identify deliveries that were already queued.
   */
  recoveryProgressMs: 1_000,
  /**
   * How long a request about a webhook's deliveries may wait for the broker (about thirty reads of the log); then 503.
   */
  webhookOperationMs: 5_000,
} as const;
