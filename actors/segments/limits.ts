/** Bounds of segments that read others. */
export const NESTING_LIMITS = {
  /** Levels of segments below one that reads others. A membership is at most that many conditions away from data. */
  nestedSegments: 5,
} as const;

/** Bounds of static segments in the state of a player. */
export const LIST_LIMITS = {
  /** Loads of one segment in a player's state: the current one, and others that are still being loaded. */
  listLoadsOfPlayer: 8,
  /** Time in which a load takes effect, or never. The slowest sender that uWebSockets.js accepts has 20 MB. */
  listLoadMs: 30 * 60_000,
  /** Lists of deleted segments that one fact removes from a player's state. */
  droppedLists: 8,
} as const;
