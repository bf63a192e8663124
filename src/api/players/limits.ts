/** Bounds of the routes of one player: search, timeline, export, recorded sessions and purchases. */
export const PLAYER_API_LIMITS = {
  /** Players of one search: several screens of them. Its text: the longest of external id, device id and address. */
  foundPlayers: 100,
  foundPlayersDefault: 50,
  playerSearchLength: 256,
  /** Entries on one page of a player's timeline. A page is at least as long as the entries that one fact makes. */
  timelineEntries: 200,
  timelineEntriesLeast: 10,
  timelineEntriesDefault: 50,

  /** Rows on one page of a player's export: the maximum, and the default. */
  exportRows: 1_000,
  exportRowsDefault: 500,
  /**
   * Bytes of rows on one page of an export; the row that exceeds it is the last. Without it, 1,000 events of 64 KiB
   * made 61 MiB of JSON in several copies: 16 such requests at once took a gigabyte.
   */
  exportPageBytes: 1024 * 1024,

  /** A recorded session, in seconds. A longer one is the result of a clock that was changed. */
  recordedSessionSeconds: 24 * 60 * 60,
  /** `product_id` of a purchase, in characters. */
  productIdLength: 256,
} as const;
