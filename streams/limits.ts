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

/** Bounds of the times of uses. */
export const USE_LIMITS = {
  /** How often a write of an entry is tried again while other gateways write it. */
  writeAttempts: 8,
  /**
   * How often a process stores when API keys were last used: one write per game and environment with requests. So 8
   * processes and 1,000 games with two environments make at most 4.4 writes a second, however many keys they have; an
   * entry has at most 500 keys of 55 bytes.
   */
  keysEveryMs: 3_600_000,
  /** How exactly a process notes the use of a key: once in this time, so that a request does not pay for it. */
  keyNotedMs: 60_000,
} as const;
