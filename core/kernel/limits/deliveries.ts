/**
 * Bounds of webhook deliveries: slots, deferrals, the log of attempts, and DNS.
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
  /** The broker redelivers a delivery whose worker sends no sign of life for this long: the delay after a crash. */
  deliveryAckWaitMs: 20_000,
  /** Webhooks whose health is held in memory. Beyond it idle ones are forgotten. */
  webhooksInMemory: 10_000,
  /** Response body bytes read from a receiver. */
  deliveryResponseBytes: 4 * 1024,
  /** Longest delay that a receiver may request with `Retry-After`. */
  retryAfterMaxMs: 2 * 60 * 60 * 1000,
  /** How long a stop waits for deliveries in flight. Interrupted ones are repeated. */
  deliveryStopMs: 5_000,

  /** First delay of a delivery without a slot; doubled with each deferral. */
  deliveryDeferMs: 1_000,
  /** The same while its receiver is unresponsive: an attempt holds the webhook's only slot for up to 30 s. */
  deliveryDeferUnresponsiveMs: 10_000,
  /** Longest delay of a delivery without a slot. */
  deliveryDeferMaxMs: 60_000,
  /**
   * Deferred deliveries that return per second: to all unresponsive receivers of a process, or to one slow receiver.
   * Each return is a write to the broker's disk, so a large backlog adds little load.
   */
  deliveryDefersPerSecond: 250,
  /** The same to a responsive receiver of unknown speed: about as many as this service can deliver. */
  deliveryReturnsPerSecond: 5_000,
  /** The longest time over which those returns are spread. */
  deliverySpreadMs: 60 * 60 * 1000,

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

  /** Looking up a receiver's name, with all retries: a silent name server must not use up a delivery's time-out. */
  dnsLookupMs: 5_000,
  /** One query to one name server, and queries to each. */
  dnsTryMs: 1_000,
  dnsTries: 3,
  /** Concurrent look-ups: one for each slot, so that no name delays another. */
  dnsLookups: 1_024,
  /** How long a failed look-up is cached, and how many of them. */
  dnsFailureMs: 5_000,
  dnsFailures: 10_000,
  /** Addresses of one name that a connection may try. */
  dnsAddresses: 16,
} as const;
