/**
 * Bounds of computed properties. `computedBuckets` times 14 bytes, and `computedProperties` times 64, bound what they
 * add to a player: 33 kB. An event takes 16 × `filterSteps`, 0.1 ms, at most; the facts of 250 imported lines grow by
 * 250 × 16 × 220 characters, two thirds of a record.
 */
export const COMPUTED_LIMITS = {
  /** Active properties of one game and environment, those of conditions included. */
  computedProperties: 64,
  /** JSON of an event's properties, in characters, above which no computed property reads it. Parsing takes 0.3 ms. */
  computedJsonLength: 8_192,
} as const;
