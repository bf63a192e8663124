import { dayOf } from '../../src/kernel/days.ts';
import type { PlayerState } from '../vocabulary/state.ts';
import { SUPPRESSION_REASONS, type SuppressionReason } from '../vocabulary/suppression-reasons.ts';
import type { CampaignTally } from '../vocabulary/player.ts';

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
