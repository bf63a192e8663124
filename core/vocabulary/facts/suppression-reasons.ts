/**
 * Why a player got no intervention of a triggered campaign. Never reorder: tallies hold the reasons as bits.
 * - `cap_total`, `cap_per_day`: the campaign's cap is reached, in total or on this UTC day
 * - `cooldown`: too soon after the campaign's last intervention
 * - `cap_all_campaigns`: the player's cap over all campaigns is reached on this UTC day
 * - `waiting_full`: the maximum of waiting interventions is reached
 * - `holdout`: the player is in the holdout, which gets no interventions
 * - `not_eligible`: at delivery the player was not in the audience any more, or did not meet the conditions
 */
export const SUPPRESSION_REASONS = [
  'cap_total',
  'cap_per_day',
  'cooldown',
  'cap_all_campaigns',
  'waiting_full',
  'holdout',
  'not_eligible',
] as const;

export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number];
