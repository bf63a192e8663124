/** Bounds of the definitions of campaigns. */
export const CAMPAIGN_API_LIMITS = {
  /** Campaigns of one game and environment. One trigger may start all of them. */
  campaignsPerEnvironment: 200,
  /** Caps of one campaign. */
  campaignCap: 1_000_000,
  /** How long an intervention waits by default, in seconds. */
  interventionExpirySeconds: 7 * 24 * 60 * 60,
  /** The longest expiry or cooldown of a campaign, in seconds. */
  campaignSeconds: 365 * 24 * 60 * 60,
  /** Title, body and button text of a message, in characters: a phone's screen holds no more. */
  interventionTitleLength: 200,
  interventionBodyLength: 2_000,
  interventionCtaLength: 100,
  /** Longest time until a message dismisses itself, in seconds. */
  interventionDismissSeconds: 24 * 60 * 60,
} as const;
