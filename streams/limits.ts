/** Bounds of the check of this machine's clock. */
export const CLOCK_LIMITS = {
  /** How often a process compares its clock with the broker's, and how soon again if the clock seems wrong. */
  clockCheckMs: 2_000,
  clockRecheckMs: 250,
  /**
   * A clock this far from the broker's is wrong. Two right clocks differ by less than twice this, which leaves 3 s of a
   * command's deadline of 5 s.
   */
  clockToleranceMs: 1_000,
} as const;
