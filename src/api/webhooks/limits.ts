/** Bounds of the definitions of webhooks. */
export const WEBHOOK_LIMITS = {
  /** Hours of attempts that the health of webhooks counts: retries of one delivery end within a day. */
  webhookHealthHours: 24,

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

  /** Test deliveries in flight in one process. People request them, and each takes up to the time-out of a receiver. */
  webhookTests: 32,
} as const;
