/**
 * Bounds of webhook definitions, of the health of their receivers, and of recoveries and tests that operators request.
 */
export const WEBHOOK_LIMITS = {
  /** Webhooks of one game and environment. Each is matched against every fact. */
  webhooksPerEnvironment: 100,
  /** A webhook's URL, in characters. */
  webhookUrlLength: 2_048,
  /** Event kinds of one webhook. */
  webhookEvents: 100,
  /** Filter paths of one webhook, and values of one `in` or `nin` filter: 3,200 comparisons for a fact at most. */
  webhookFilters: 32,
  webhookFilterValues: 100,
  /** Additional headers of a webhook, and characters of one value: 20 KiB. */
  webhookHeaders: 20,
  webhookHeaderLength: 1_024,
  /** A webhook's signing secret, in characters. */
  webhookSecretLength: 256,
  /**
   * How long after a rotation deliveries also carry a signature with the previous secret, as documented for receivers.
   */
  webhookSecretOverlapMs: 24 * 60 * 60 * 1_000,

  /** How long a receiver may fail before its webhook is disabled, as documented for operators. */
  webhookFailingMs: 5 * 24 * 60 * 60 * 1000,
  /**
   * A failure that lasts this long is stored for other processes and the next start. A restart forgets shorter ones.
   */
  webhookFailingNoteMs: 10 * 60 * 1000,
  /** How long a webhook's notes (first failure, latest recovery) are kept: seven times `webhookFailingMs`. */
  webhookNoteMs: 35 * 24 * 60 * 60 * 1000,
  /** How often disabling a webhook is retried when the write to CONFIG fails. The next failure starts again. */
  webhookDisableTries: 5,

  /** Test deliveries in flight in one process. People request them, and each takes up to the time-out of a receiver. */
  webhookTests: 32,
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
