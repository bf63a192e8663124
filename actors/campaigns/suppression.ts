import type { Limits } from '../../core/kernel/limits.ts';
import { dayOf } from '../../core/kernel/days.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import type { Campaign } from '../decision/targeting.ts';
import { todayOf } from './tally.ts';
import { isWaiting } from './waiting.ts';
import type { SuppressionReason } from '../../core/vocabulary/facts/suppression-reasons.ts';
import type { CampaignTally } from '../../core/vocabulary/state/player.ts';

/** The first reason not to give a player an intervention of the campaign; `undefined`: there is none. */
export function suppressionOf(
  campaign: Campaign,
  tally: CampaignTally,
  state: PlayerState,
  nowMs: number,
  limits: Pick<Limits, 'interventionsPerDay' | 'interventionsPerPlayer' | 'interventionOffers'>,
): SuppressionReason | undefined {
  const { caps } = campaign;
  const day = dayOf(nowMs);
  if (caps.total !== null && takenOf(campaign.id, tally, state, nowMs, limits) >= caps.total) return 'cap_total';
  if (caps.perDay !== null && givenToday(campaign, tally, state, nowMs) >= caps.perDay) return 'cap_per_day';
  if (tally.total > 0 && nowMs < cooledAt(campaign, tally, state)) return 'cooldown';
  if (givenOn(state, day) >= limits.interventionsPerDay) return 'cap_all_campaigns';
  if (waiting(state, nowMs, limits) >= limits.interventionsPerPlayer) return 'waiting_full';
  // Checked last: held-out players would have got the intervention, so both arms of the funnel are comparable.
  return campaign.isHeldOut(state.id) ? 'holdout' : undefined;
}

/** The campaign's interventions that the player saw, and those that still may be: what its total cap counts. */
export function takenOf(
  campaignId: string,
  tally: CampaignTally,
  { interventions }: PlayerState,
  nowMs: number,
  limits: Pick<Limits, 'interventionOffers'>,
): number {
  const open = interventions.filter(
    (pending) => pending.campaignId === campaignId && isWaiting(pending, nowMs, limits),
  );
  return tally.shown + open.length;
}

/**
 * The campaign's interventions of the day, with those of the day before that quiet hours held back until this one: a
 * night has two days, and both would be delivered in its morning.
 */
export function givenToday(campaign: Campaign, tally: CampaignTally, state: PlayerState, nowMs: number): number {
  const day = dayOf(nowMs);
  if (campaign.document.quietHours === null) return todayOf(tally, day);
  const heldOver = state.interventions.filter(
    ({ campaignId, createdAt }) =>
      campaignId === campaign.id && dayOf(createdAt) < day && dayOf(dueAt(campaign, state, createdAt)) === day,
  );
  return todayOf(tally, day) + heldOver.length;
}

/** When the cooldown ends. It begins when the last intervention could be delivered. */
export function cooledAt(campaign: Campaign, { lastAt }: CampaignTally, state: PlayerState): number {
  return dueAt(campaign, state, lastAt) + campaign.document.cooldownSeconds * 1_000;
}

/** When an intervention that was created at `at` could be delivered. */
function dueAt(campaign: Campaign, state: PlayerState, at: number): number {
  return campaign.quiet(state, at)?.until ?? at;
}

/** The number of interventions that all campaigns gave the player on that day. */
function givenOn({ campaignTallies }: PlayerState, day: number): number {
  let sum = 0;
  for (const tally of campaignTallies) sum += todayOf(tally, day);
  return sum;
}

function waiting({ interventions }: PlayerState, nowMs: number, limits: Pick<Limits, 'interventionOffers'>): number {
  let count = 0;
  for (const pending of interventions) if (isWaiting(pending, nowMs, limits)) count += 1;
  return count;
}
