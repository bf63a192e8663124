/** Bounds of the memory and the history that the roles of a process keep. */
export const SERVICE_LIMITS = {
  /**
   * Estimated bytes of players in memory, per process; the real figure is about twice as high. An active player takes
   * 2.9 kB, so this holds 45,000 active players or 80,000 who just registered. The others are read from the local store
   * when they come.
   */
  hotPlayersBytes: 128 * 1024 * 1024,
  /**
   * Longest retention of FACTS, and the longest time a node may be away and still resume, while there is room
   * (`factsTrimFromShare`). Two hours shorter than receipts state: an idle partition's hourly record, the longest
   * snapshot interval and `trimMs` delay the trimmer.
   */
  factsRetentionMs: (30 * 24 - 2) * 60 * 60 * 1000,
} as const;
