/** Bounds of the state of a player that several domains share, and of what a game may define. */
export const STATE_LIMITS = {
  /** Computed properties of one name of events. Each event carries what it adds to them. */
  computedPerEvent: 16,
  /**
   * Buckets of all of them: the days of each window and one, or 1 without a window. A bucket of texts counts
   * `textBuckets` times, one property of distinct values `distinctValues`.
   */
  computedBuckets: 2_048,
  textBuckets: 10,
  /** Distinct values that are counted. */
  distinctValues: 100,
  /** A text as a value, in characters. A longer one is not counted. */
  computedTextLength: 128,
  /** A number in a sum or an average, beyond which it is not counted: 900 of them fit a sum exactly. */
  computedNumber: 1_000_000_000,

  /** Days of play that are stored day by day: the input of the churn risk. */
  activityDays: 28,

  /**
   * Recorded sessions, and purchases with a transaction id, whose repeats are recognised, per player: ten years of
   * three sessions a day. Each takes about 30 bytes, and a purchase that was converted 40 more, so the two lists take
   * 1 MB at most.
   */
  recordedSessions: 10_000,
  recordedPurchases: 10_000,
  /**
   * A player's revenue, in ten-thousandths. Beyond 2^53 sums of integers are no longer exact, so a purchase past it is
   * refused. Client keys are refused earlier, which reserves 719,925,474 units for purchases by server keys.
   */
  totalRevenue: Number.MAX_SAFE_INTEGER,
  totalRevenueByClients: 900_000_000_000 * 10_000,

  /** Properties of events with a column of their own, and characters of a value in it. Others are read as JSON. */
  extractedProperties: 8,
  extractedLength: 128,

  /** Segments of one game and environment. Each is evaluated for every player that changes. */
  segmentsPerEnvironment: 500,
} as const;
