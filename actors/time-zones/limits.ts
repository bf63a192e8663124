/** Bounds of time zones. */
export const TIME_ZONE_LIMITS = {
  /** Cached formatters of time zones. About 600 zone names exist, but a player's time zone may be any text. */
  timeZones: 700,
} as const;
