/** Bounds of checking any input. */
export const VALIDATION_LIMITS = {
  /** Faults listed in one error. A caller can fix a body with this many, and collecting them stays cheap. */
  reportedFaults: 32,
  /**
   * Values of a body, or of one item of a batch, up to which all faults are collected instead of only the first. People
   * write bodies of this size by hand. A batch of 100 wrong items of this size takes 30 ms.
   */
  validatedValues: 500,
} as const;
