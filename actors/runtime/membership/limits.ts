/** Bounds of the take-over and the hand-over of partitions. */
export const MEMBERSHIP_LIMITS = {
  /**
   * A partition without an owner is prepared by the second in rank after this, by the third after twice this, and so
   * on: the first in rank may need minutes to rebuild. Longer than a restart with a local store takes.
   */
  standInMs: 5_000,
  /** Pause after a member failed to prepare or to lead a partition; doubled with each failure in a row. */
  refusalMs: 2_000,
  refusalLedMs: 30_000,
  refusalMaxMs: 5 * 60 * 1000,
  /** The longest pause while no other member accepts the partition. */
  refusalAloneMs: 5_000,
  /** A term that lasted this long ends a row of failures: twice the longest pause. */
  steadyTermMs: 10 * 60 * 1000,
  /**
   * A faulty local store is discarded at most once in this time, because its disk may damage the next one too. A
   * rebuild of 1,000,000 players takes a minute: at most a tenth of the time.
   */
  storeDiscardMs: 10 * 60 * 1000,
} as const;
