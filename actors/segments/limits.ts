/** Bounds of static segments in the state of a player. */
export const LIST_LIMITS = {
  /** Time in which a load takes effect, or never. The slowest sender that uWebSockets.js accepts has 20 MB. */
  listLoadMs: 30 * 60_000,
  /** Lists of deleted segments that one fact removes from a player's state. */
  droppedLists: 8,
} as const;
