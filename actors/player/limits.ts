/** Bounds of a player's attributes as columns. */
export const ATTRIBUTE_LIMITS = {
  /**
   * Characters of the attribute `country` that events and players carry as a column; a longer text counts as none. The
   * longest official name of a country has 56. Without this bound each event of a batch could store 8 KiB.
   */
  countryLength: 64,
} as const;
