/** Bounds of merges. */
export const SAGA_LIMITS = {
  /**
   * How often a request is sent on: owners refuse a merge that would make a chain of guests and accounts longer. While
   * a merge is under way, the guest is asked again, so a request has twice as many tries.
   */
  hops: 8,
  /** How long, and how often, a merge waits for others that form a circle with it: 2 seconds. */
  circleWaitMs: 100,
  circleWaits: 20,
  /**
   * How old an intent is when the keeper goes on with it. A merge takes milliseconds, or as long as a command may wait
   * (`commandDeadlineMs`): a younger one is in the hands of its request.
   */
  intentAgeMs: 10_000,
  /** How often the keeper looks. */
  keeperMs: 5_000,
  /** How many merges the keeper goes on with at once: a state may have a megabyte. */
  keeperAtOnce: 8,
} as const;
