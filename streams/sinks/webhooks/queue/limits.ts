/**
 * Bounds of DELIVERIES, the queue of webhook deliveries, and of what is deferred.
 * Quotas stop at `deliveriesBytes`; the stream itself drops its oldest messages at twice that.
 */
export const QUEUE_LIMITS = {
  /** Webhooks whose health is held in memory. Beyond it idle ones are forgotten. */
  webhooksInMemory: 10_000,

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

  /** Bytes appended to DELIVERIES between two reads of its size. */
  deliveriesCheckBytes: 4 * 1024 * 1024,
  /** How often the deliveries in the queue are counted for the metrics. */
  deliveriesCountMs: 5_000,
  /** Deliveries that the broker hands out at once, over all processes: those in flight, waiting or being deferred. */
  deliveriesHandedOut: 2_048,
  /**
   * Once a delivery of a record has ended for this long, the others are stored apart: a crash repeats only those.
   */
  deliveryRemainderMs: 250,
  /** Bytes of due deliveries, over all games: the processes that make them hold them in memory. */
  deliveriesDueBytes: 64 * 1024 * 1024,
  /** How often due deliveries are counted while one game has many of them. */
  deliveriesDueCountMs: 25,
  /** A delivery this late counts as made by another process. */
  deliveryOverdueMs: 60_000,
  /** Deliveries queued for one webhook between two counts of its waiting ones. */
  deliveriesPendingStep: 10_000,
  /** Bytes queued for one webhook, or for one game, between two counts; fewer when little of the quota is left. */
  deliveriesPendingStepBytes: 32 * 1024 * 1024,
  /** How often a webhook with an exhausted quota is counted again. */
  deliveriesPendingCountMs: 15_000,
} as const;
