import { dayOf } from '../../../core/kernel/days.ts';
import type { CampaignTally } from '../../../core/vocabulary/state/player.ts';
import type { PlayerState } from '../../../core/vocabulary/state/state.ts';
import { CAMPAIGN_LIMITS } from '../../campaigns/limits.ts';
import type { EvolveLimits } from '../../decision/decision.ts';
import { both, goes, type Kept } from './kept.ts';

type Campaigns = Pick<PlayerState, 'interventions' | 'campaignTallies'>;

/** Tallies add, so that caps hold over both. */
export function unitedCampaigns(account: PlayerState, guest: PlayerState, limits: EvolveLimits): Campaigns {
  const pending = both(guest.interventions, account.interventions, ({ interventionId }) => interventionId);
  const ofGuest = new Map(guest.campaignTallies.map((tally) => [tally.campaignId, tally]));
  const joined = account.campaignTallies.map((tally) => {
    const other = ofGuest.get(tally.campaignId);
    ofGuest.delete(tally.campaignId);
    return other === undefined ? tally : sum(tally, other);
  });
  return {
    interventions: pending
      .toSorted((one, other) => one.createdAt - other.createdAt)
      .slice(-limits.interventionsPerPlayer),
    campaignTallies: [...ofGuest.values(), ...joined].slice(-CAMPAIGN_LIMITS.campaignTallies),
  };
}

function sum(one: CampaignTally, other: CampaignTally): CampaignTally {
  const day = Math.max(one.day, other.day);
  const suppressedAt = Math.max(one.suppressedAt, other.suppressedAt);
  const noted = (tally: CampaignTally) => (dayOf(tally.suppressedAt) === dayOf(suppressedAt) ? tally.suppressed : 0);
  return {
    campaignId: one.campaignId,
    total: one.total + other.total,
    shown: one.shown + other.shown,
    day,
    today: (one.day === day ? one.today : 0) + (other.day === day ? other.today : 0),
    lastAt: Math.max(one.lastAt, other.lastAt),
    suppressedAt,
    suppressed: noted(one) | noted(other),
  };
}

export function separatedCampaigns(account: PlayerState, guest: PlayerState, kept: Kept): Campaigns {
  const leaves = goes('intervention', guest, kept);
  const ofGuest = new Map(guest.campaignTallies.map((tally) => [tally.campaignId, tally]));
  return {
    interventions: account.interventions.filter(({ interventionId }) => !leaves(interventionId)),
    campaignTallies: account.campaignTallies.flatMap((tally) => {
      const other = ofGuest.get(tally.campaignId);
      if (other === undefined) return [tally];
      const total = Math.max(0, tally.total - other.total);
      const shown = Math.max(0, tally.shown - other.shown);
      const today = Math.max(0, tally.today - (other.day === tally.day ? other.today : 0));
      return total === 0 && tally.suppressedAt === other.suppressedAt ? [] : [{ ...tally, total, shown, today }];
    }),
  };
}
