import { dayOf } from '../../core/kernel/days.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import { SUPPRESSION_REASONS, type SuppressionReason } from '../../core/vocabulary/facts/suppression-reasons.ts';
import type { CampaignTally } from '../../core/vocabulary/state/player.ts';

/** The player's tally of a campaign; all zero if there is none. */
export function tallyOf({ campaignTallies }: PlayerState, campaignId: string): CampaignTally {
  for (const tally of campaignTallies) if (tally.campaignId === campaignId) return tally;
  return { campaignId, total: 0, shown: 0, day: 0, today: 0, lastAt: 0, suppressedAt: 0, suppressed: 0 };
}

/** The tally after one more intervention at `at`, epoch milliseconds. */
export function triggeredTally(tally: CampaignTally, at: number): CampaignTally {
  const day = dayOf(at);
  return { ...tally, total: tally.total + 1, day, today: todayOf(tally, day) + 1, lastAt: at };
}

/** The tally after the player saw one more intervention. */
export function shownTally(tally: CampaignTally): CampaignTally {
  return { ...tally, shown: tally.shown + 1 };
}

/** The tally after an intervention of `createdAt` was withdrawn: the cap of that day is free again. */
export function withdrawnTally(tally: CampaignTally, createdAt: number): CampaignTally {
  return tally.day === dayOf(createdAt) && tally.today > 0 ? { ...tally, today: tally.today - 1 } : tally;
}

/** The tally after a suppression for `reason` on the day of `at`. */
export function suppressedTally(tally: CampaignTally, reason: SuppressionReason, at: number): CampaignTally {
  const noted = dayOf(tally.suppressedAt) === dayOf(at) ? tally.suppressed : 0;
  return { ...tally, suppressedAt: at, suppressed: noted | bitOf(reason) };
}

/** Whether the tally already has the reason on that day: many events cause one fact per reason and day. */
export function isNoted(tally: CampaignTally, reason: SuppressionReason, day: number): boolean {
  return dayOf(tally.suppressedAt) === day && (tally.suppressed & bitOf(reason)) !== 0;
}

/** The reasons of the latest day with a suppression. */
export function notedReasons({ suppressed }: CampaignTally): SuppressionReason[] {
  return SUPPRESSION_REASONS.filter((reason) => (suppressed & bitOf(reason)) !== 0);
}

/** The number of interventions of the campaign on `day`, in days since the Unix epoch. */
export function todayOf(tally: CampaignTally, day: number): number {
  return tally.day === day ? tally.today : 0;
}

function bitOf(reason: SuppressionReason): number {
  return 1 << SUPPRESSION_REASONS.indexOf(reason);
}
