import { LIMITS } from '../../src/kernel/limits.ts';
import type { EvolveLimits } from '../decision.ts';
import { append } from '../../src/kernel/bounded.ts';
import type { PlayerState } from '../vocabulary/state.ts';
import { suppressedTally, tallyOf, triggeredTally } from './tally.ts';
import { isWaiting } from './waiting.ts';
import type { PendingIntervention } from '../vocabulary/player.ts';
import type {
  InterventionClicked,
  InterventionOffered,
  InterventionShown,
  InterventionSuppressed,
  InterventionTriggered,
} from '../vocabulary/campaign-facts.ts';

/** The newest waits last. Room is made by those whose time is over, then by the oldest that is not delivered any more. */
export function interventionTriggered(
  state: PlayerState,
  fact: InterventionTriggered,
  limits: EvolveLimits,
): PlayerState {
  const { interventionId, campaignId, campaignKey, campaignVersion, at, expiresAt } = fact;
  const intervention: PendingIntervention = {
    interventionId,
    campaignId,
    campaignKey,
    campaignVersion,
    createdAt: at,
    expiresAt,
    offers: 0,
    offeredAt: 0,
    shownAt: 0,
  };
  return {
    ...state,
    interventions: append(withRoom(state.interventions, at, limits), intervention, limits.interventionsPerPlayer),
    campaignTallies: tallied(state, triggeredTally(tallyOf(state, campaignId), at)),
  };
}

export function interventionSuppressed(
  state: PlayerState,
  { campaignId, reason, at }: InterventionSuppressed,
): PlayerState {
  return { ...state, campaignTallies: tallied(state, suppressedTally(tallyOf(state, campaignId), reason, at)) };
}

/** What is delivered to one session is past for all that are open, also for one that a clock ahead of this one opened. */
export function interventionOffered(state: PlayerState, { interventionId, at }: InterventionOffered): PlayerState {
  let offeredAt = at;
  for (const { openedAt } of state.sessions) if (openedAt > offeredAt) offeredAt = openedAt;
  return changed(state, interventionId, (held) => ({ ...held, offers: held.offers + 1, offeredAt }));
}

export function interventionShown(state: PlayerState, { interventionId, at }: InterventionShown): PlayerState {
  return changed(state, interventionId, (held) => ({ ...held, shownAt: at }));
}

/** A click is the last that is heard of an intervention. */
export function interventionClicked(state: PlayerState, { interventionId }: InterventionClicked): PlayerState {
  return { ...state, interventions: state.interventions.filter((held) => held.interventionId !== interventionId) };
}

function changed(
  state: PlayerState,
  interventionId: string,
  change: (held: PendingIntervention) => PendingIntervention,
): PlayerState {
  const interventions = state.interventions.map((held) =>
    held.interventionId === interventionId ? change(held) : held,
  );
  return { ...state, interventions };
}

function withRoom(
  interventions: readonly PendingIntervention[],
  at: number,
  limits: EvolveLimits,
): readonly PendingIntervention[] {
  const live = interventions.filter(({ expiresAt }) => expiresAt > at);
  if (live.length < limits.interventionsPerPlayer) return live;
  const done = live.findIndex((held) => !isWaiting(held, at, limits));
  return done === -1 ? live : live.toSpliced(done, 1);
}

/** The latest changed is last; beyond the bound the one changed longest ago is forgotten. */
function tallied({ campaignTallies }: PlayerState, tally: PlayerState['campaignTallies'][number]) {
  const others = campaignTallies.filter(({ campaignId }) => campaignId !== tally.campaignId);
  return append(others, tally, LIMITS.campaignTallies);
}
