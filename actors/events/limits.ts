/** Bounds of quarantined events in the state of a player. */
export const QUARANTINE_LIMITS = {
  /** Ranges of released events in one player's quarantine: 8,000 faulty events of which every second was fixed. */
  quarantineRanges: 4_000,
} as const;
