/** Bounds of campaigns in the state of a player. */
export const CAMPAIGN_LIMITS = {
  /**
   * Campaigns whose deliveries are counted per player: five times as many as may exist, because ids are never reused.
   */
  campaignTallies: 1_000,
} as const;
