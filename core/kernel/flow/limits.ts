/** Bounds of bulk work, which yields to live work. */
export const FLOW_LIMITS = {
  /**
   * Replies to work in bulk (an import, lists of players) that are slower than this halve its window over all
   * partitions: live traffic waits for the same owners. Such a command takes 1 to 10 ms.
   */
  bulkSlowMs: 30,
  /** The longest rest after a command of work in bulk that was slow although it was alone. */
  bulkRestMs: 250,
} as const;
