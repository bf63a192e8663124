/** Bounds of the counters of a player's events. */
export const COUNTER_LIMITS = {
  /** Event names counted per player. A game has dozens. */
  countedNames: 256,
  /** UTC days for which an event is counted: the longest window of a condition. */
  countedDays: 30,
} as const;
