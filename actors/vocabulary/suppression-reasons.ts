/**
 * Why a campaign that was triggered gave a player nothing. Never reorder: tallies hold them as bits.
 * - `cap_total`, `cap_per_day`: as often as the campaign's caps allow, ever or on this UTC day
 * - `cooldown`: too soon after the campaign's last one
 * - `cap_all_campaigns`: as many on this UTC day, of all campaigns together, as a player gets
 * - `quiet_hours`: the player's night
 * - `waiting_full`: as many wait to be shown as are held
 * - `holdout`: the player is among those who get nothing, for comparison
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
