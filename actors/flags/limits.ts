/** Bounds of a flag's definition, of evaluations, and of flags in the state of a player. */
export const FLAG_LIMITS = {
  /** Targeting rules of one flag. Each may be evaluated at every evaluation of the flag. */
  flagRules: 50,
  /** Variants of one flag. Every rule prepares a result for each of them: 2,500 at most. */
  flagVariants: 50,
  /** The salt of a rule, in characters. It is hashed once, when the flag is compiled. */
  ruleSalt: 64,
  /** Other flags that one flag depends on. */
  flagPrerequisites: 10,
  /** A variant's weight. The sum of 50 weights stays far below 2^53. */
  flagWeight: 1_000_000,
  /** One flag's definition as JSON text in UTF-8. Every process holds all of them. */
  flagBytes: 64 * 1024,
  /** Periods of a flag with readable results; the oldest is dropped. 20 periods of 50 variants take 130 kB. */
  flagPeriods: 20,
  /** Overrides for one player, meant for testers: 512 KiB with values of the maximum size. */
  overridesPerPlayer: 64,

  /** Exposures remembered per player; the oldest is dropped first. A forgotten exposure would count again. */
  exposuresPerPlayer: 512,
  /**
   * Flags whose last served variant is stored per player: as many as a game may have. An entry takes 50 bytes typically
   * and 600 at most (key, variant, segment, value, two earlier variants): 1.2 MB if every name has its maximum length.
   */
  servedFlags: 2_000,
  /** A served value stored beside its variant, in characters. A longer value is only in the definition. */
  servedValueLength: 64,
  /** Earlier variants of a flag stored per player: an offline client may still show them. */
  servedVariants: 2,
  /** Characters of all values in one evaluation response. At three bytes each they fit `brokerPayloadBytes`. */
  evaluatedChars: 2_000_000,
} as const;
