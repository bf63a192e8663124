/** Bounds of campaigns and of the interventions that players receive from them. */
export const CAMPAIGN_LIMITS = {
  /** Campaigns of one game and environment. One trigger may start all of them. */
  campaignsPerEnvironment: 200,
  /**
   * Facts about campaigns that one command may cause: a record must stay below `commitBytes`. Further triggers are
   * ignored.
   */
  campaignFactsPerCommand: 2_000,
  /**
   * Campaigns whose deliveries are counted per player: five times as many as may exist, because ids are never reused.
   */
  campaignTallies: 1_000,
  /** Caps of one campaign. */
  campaignCap: 1_000_000,
  /** Interventions of one player that wait for a sync or a click. */
  interventionsPerPlayer: 32,
  /** Interventions one player receives on one UTC day, from all campaigns together: more would annoy the player. */
  interventionsPerDay: 20,
  /** Sessions in which an intervention is delivered before the client confirms that it was shown. */
  interventionOffers: 3,
  /** How long an intervention waits by default, in seconds. */
  interventionExpirySeconds: 7 * 24 * 60 * 60,
  /** The longest expiry or cooldown of a campaign, in seconds. */
  campaignSeconds: 365 * 24 * 60 * 60,
  /** How late a campaign's scheduled time may still take effect. After a longer outage it counts as missed. */
  scheduleLateMs: 24 * 60 * 60 * 1000,
  /** Title, body and button text of a message, in characters: a phone's screen holds no more. */
  interventionTitleLength: 200,
  interventionBodyLength: 2_000,
  interventionCtaLength: 100,
  /** Longest time until a message dismisses itself, in seconds. */
  interventionDismissSeconds: 24 * 60 * 60,
  /** Cached formatters of time zones. About 600 zone names exist, but a player's time zone may be any text. */
  timeZones: 700,
} as const;
