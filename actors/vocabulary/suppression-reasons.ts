/**
 * Why a triggered campaign created no intervention. Never reorder: tallies hold the reasons as bits.
 * - `cap_total`, `cap_per_day`: the campaign's cap is reached, in total or on this UTC day
 * - `cooldown`: too soon after the campaign's last intervention
 * - `cap_all_campaigns`: the player's cap over all campaigns is reached on this UTC day
 * - `quiet_hours`: the time is within the quiet hours of the player
 * - `waiting_full`: the maximum of waiting interventions is reached
 * - `holdout`: the player is in the holdout, which gets no interventions
 */
export const SUPPRESSION_REASONS = [
  'cap_total',
  'cap_per_day',
  'cooldown',
  'cap_all_campaigns',
  'quiet_hours',
  'waiting_full',
  'holdout',
] as const;

export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number];
