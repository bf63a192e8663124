/**
 * Bounds of webhook deliveries: slots, the log of attempts, and webhooks that fail.
 * One game uses at most three quarters of the slots; one webhook at most 32 of them.
 */
export const DELIVERY_LIMITS = {
  /** Deliveries in flight in one process. Hundreds of hanging receivers can use one slot each. */
  deliveriesInFlight: 1_024,
  /** The same for one game and environment: a quarter of the slots is always left to other games. */
  deliveriesInFlightPerGame: 768,
  /** Deliveries in flight to one webhook that succeeds. A failing webhook falls to 1. */
  deliveriesPerWebhook: 32,
  /**
   * Deliveries that wait in memory for one healthy webhook's next slot. More are deferred through the broker, unless
   * the receiver accepts more in two seconds.
   */
  deliveriesWaitingPerWebhook: 512,
  /** A webhook without progress for this long holds no deliveries in memory. */
  deliveryProgressMs: 1_000,
  /** A webhook without progress for this long counts as unresponsive: receivers are asked to respond within 5 s. */
  deliverySilentMs: 5_000,
  /** Longest delay that a receiver may request with `Retry-After`. */
  retryAfterMaxMs: 2 * 60 * 60 * 1000,

  /** Attempts in one RECORDS message. An attempt takes about 4 kB with its part of the response: below 4 MiB. */
  attemptsPerMessage: 1_000,
  /**
   * Attempts of one process that wait to be logged: about 40 MB. More are counted as lost; logging never delays a
   * delivery.
   */
  attemptsPending: 10_000,
  /** How long attempts are gathered before they are logged. Every message is a write to disk. */
  attemptLingerMs: 100,
  /** Characters of a response body, and of a URL's host, that are logged. */
  attemptResponseLength: 1_000,
  attemptHostLength: 256,

  /** How long a delivery that a newer version queued waits until a process tries to read it again: one append each. */
  deliveryUnreadableMs: 60_000,

  /** How long a receiver may fail before its webhook is disabled, as documented for operators. */
  webhookFailingMs: 5 * 24 * 60 * 60 * 1000,
  /**
   * A failure that lasts this long is stored for other processes and the next start. A restart forgets shorter ones.
   */
  webhookFailingNoteMs: 10 * 60 * 1000,
  /** How often disabling a webhook is retried when the write to CONFIG fails. The next failure starts again. */
  webhookDisableTries: 5,
} as const;
