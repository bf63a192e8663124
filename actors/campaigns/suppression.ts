import type { Limits } from '../../src/kernel/limits.ts';
import { dayOf } from '../../src/kernel/days.ts';
import type { PlayerState } from '../vocabulary/state.ts';
import type { Campaign } from '../targeting.ts';
import { todayOf } from './tally.ts';
import { isWaiting } from './waiting.ts';
import type { SuppressionReason } from '../vocabulary/suppression-reasons.ts';
import type { CampaignTally } from '../vocabulary/player.ts';

/** What speaks against giving a player what a campaign has for it, the first that does; `undefined`: nothing. */
export function suppressionOf(
  campaign: Campaign,
  tally: CampaignTally,
  state: PlayerState,
  nowMs: number,
  limits: Pick<Limits, 'interventionsPerDay' | 'interventionsPerPlayer' | 'interventionOffers'>,
): SuppressionReason | undefined {
  const { caps } = campaign;
  const { cooldownSeconds } = campaign.document;
  const day = dayOf(nowMs);
  if (caps.total !== null && tally.total >= caps.total) return 'cap_total';
  if (caps.perDay !== null && todayOf(tally, day) >= caps.perDay) return 'cap_per_day';
  if (tally.total > 0 && nowMs < tally.lastAt + cooldownSeconds * 1_000) return 'cooldown';
  if (givenOn(state, day) >= limits.interventionsPerDay) return 'cap_all_campaigns';
  if (campaign.isQuiet(state, nowMs)) return 'quiet_hours';
  if (waiting(state, nowMs, limits) >= limits.interventionsPerPlayer) return 'waiting_full';
  // Last, so that who is held out would have got it: only then do both arms of the funnel hold players of one kind.
  return campaign.isHeldOut(state.id) ? 'holdout' : undefined;
}

/** What a player got on that day, of all campaigns. */
function givenOn({ campaignTallies }: PlayerState, day: number): number {
  let sum = 0;
  for (const tally of campaignTallies) sum += todayOf(tally, day);
  return sum;
}

function waiting({ interventions }: PlayerState, nowMs: number, limits: Pick<Limits, 'interventionOffers'>): number {
  let count = 0;
  for (const held of interventions) if (isWaiting(held, nowMs, limits)) count += 1;
  return count;
}
