/** Bounds of static segments in the state of a player. */
export const LIST_LIMITS = {
  /** Time in which a load comes into force, or never. The slowest sender that uWebSockets.js accepts has 20 MB. */
  listLoadMs: 30 * 60_000,
  /** How far clocks may differ. Loads of earlier versions that are older than the current one by this are dropped. */
  listClockMs: 60_000,
  /** Lists of deleted segments that one fact removes from a player's state. */
  droppedLists: 8,
} as const;
