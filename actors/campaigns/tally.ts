import { dayOf } from '../../src/kernel/days.ts';
import type { CampaignTally, PlayerState } from '../vocabulary/state.ts';

/**
 * Why a campaign that was triggered gave a player nothing. Never reorder: tallies hold them as bits.
 * - `cap_total`, `cap_per_day`: as often as the campaign's caps allow, ever or on this UTC day
 * - `cooldown`: too soon after the campaign's last one
 * - `cap_all_campaigns`: as many on this UTC day, of all campaigns together, as a player gets
 * - `quiet_hours`: the player's night
 * - `waiting_full`: as many wait to be shown as are held
 * - `holdout`: the player is among those who get nothing, for comparison
 */
const SUPPRESSION_REASONS = [
  'cap_total',
  'cap_per_day',
  'cooldown',
  'cap_all_campaigns',
  'quiet_hours',
  'waiting_full',
  'holdout',
] as const;

export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number];

/** What a player had of a campaign; all zero for one it never heard of. */
export function tallyOf({ campaignTallies }: PlayerState, campaignId: string): CampaignTally {
  for (const tally of campaignTallies) if (tally.campaignId === campaignId) return tally;
  return { campaignId, total: 0, day: 0, today: 0, lastAt: 0, suppressedAt: 0, suppressed: 0 };
}

/** With one more at `at`, epoch milliseconds. */
export function triggeredTally(tally: CampaignTally, at: number): CampaignTally {
  const day = dayOf(at);
  return { ...tally, total: tally.total + 1, day, today: todayOf(tally, day) + 1, lastAt: at };
}

/** With a reason noted on the day of `at`. */
export function suppressedTally(tally: CampaignTally, reason: SuppressionReason, at: number): CampaignTally {
  const noted = dayOf(tally.suppressedAt) === dayOf(at) ? tally.suppressed : 0;
  return { ...tally, suppressedAt: at, suppressed: noted | bitOf(reason) };
}

/** Whether the reason was noted on that day already: an event storm is one fact a reason and day. */
export function isNoted(tally: CampaignTally, reason: SuppressionReason, day: number): boolean {
  return dayOf(tally.suppressedAt) === day && (tally.suppressed & bitOf(reason)) !== 0;
}

/** How many the player got of the campaign on `day`, as days since the Unix epoch. */
export function todayOf(tally: CampaignTally, day: number): number {
  return tally.day === day ? tally.today : 0;
}

function bitOf(reason: SuppressionReason): number {
  return 1 << SUPPRESSION_REASONS.indexOf(reason);
}
