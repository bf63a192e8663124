import { CAMPAIGN_LIMITS } from './limits.ts';
import type { EvolveLimits } from '../decision/decision.ts';
import { append } from '../../core/kernel/flow/bounded.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import { shownTally, suppressedTally, tallyOf, triggeredTally, withdrawnTally } from './tally.ts';
import { isWaiting } from './waiting.ts';
import type { PendingIntervention } from '../../core/vocabulary/state/player.ts';
import type {
  InterventionClicked,
  InterventionDismissed,
  InterventionOffered,
  InterventionShown,
  InterventionSuppressed,
  InterventionTriggered,
} from '../../core/vocabulary/facts/campaign-facts.ts';

/** Appends the intervention. At the limit, expired ones are removed, then the oldest that is no longer delivered. */
export function interventionTriggered(
  state: PlayerState,
  fact: InterventionTriggered,
  limits: EvolveLimits,
): PlayerState {
  const { interventionId, campaignId, campaignKey, campaignVersion, at, expiresAt, variant } = fact;
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
    ...(variant === undefined ? {} : { variant }),
  };
  return {
    ...state,
    interventions: append(
      withoutFinished(state.interventions, at, limits),
      intervention,
      limits.interventionsPerPlayer,
    ),
    campaignTallies: tallied(state, triggeredTally(tallyOf(state, campaignId), at)),
  };
}

/** A withdrawn intervention is removed. */
export function interventionSuppressed(
  state: PlayerState,
  { campaignId, interventionId, reason, at }: InterventionSuppressed,
): PlayerState {
  const withdrawn = state.interventions.find((pending) => pending.interventionId === interventionId);
  const tally = tallyOf(state, campaignId);
  const kept = withdrawn === undefined ? tally : withdrawnTally(tally, withdrawn.createdAt);
  return {
    ...state,
    interventions: state.interventions.filter((pending) => pending !== withdrawn),
    campaignTallies: tallied(state, suppressedTally(kept, reason, at)),
  };
}

/**
 * No open session gets the intervention again, not even one that a node with a faster clock opened. The last delivery
 * counts as seen, so that the cap holds for games that do not report what they show.
 */
export function interventionOffered(
  state: PlayerState,
  { interventionId, campaignId, at, variant }: InterventionOffered,
  { interventionOffers }: EvolveLimits,
): PlayerState {
  let offeredAt = at;
  for (const { openedAt } of state.sessions) if (openedAt > offeredAt) offeredAt = openedAt;
  const held = state.interventions.find((pending) => pending.interventionId === interventionId);
  const isLast = held !== undefined && held.shownAt === 0 && held.offers + 1 === interventionOffers;
  return {
    ...changed(state, interventionId, (pending) => {
      // Without one the variant was removed in the meantime, and the player got the content of the campaign.
      const { variant: _, ...others } = pending;
      const given = { ...others, offers: pending.offers + 1, offeredAt };
      return variant === undefined ? given : { ...given, variant };
    }),
    campaignTallies: isLast ? tallied(state, shownTally(tallyOf(state, campaignId))) : state.campaignTallies,
  };
}

export function interventionShown(
  state: PlayerState,
  { interventionId, campaignId, at }: InterventionShown,
  { interventionOffers }: EvolveLimits,
): PlayerState {
  const held = state.interventions.find((pending) => pending.interventionId === interventionId);
  const isCounted = held !== undefined && held.offers >= interventionOffers;
  return {
    ...changed(state, interventionId, (pending) => ({ ...pending, shownAt: at })),
    campaignTallies: isCounted ? state.campaignTallies : tallied(state, shownTally(tallyOf(state, campaignId))),
  };
}

/** A click or a dismissal ends an intervention. */
export function interventionEnded(
  state: PlayerState,
  { interventionId }: InterventionClicked | InterventionDismissed,
): PlayerState {
  return {
    ...state,
    interventions: state.interventions.filter((pending) => pending.interventionId !== interventionId),
  };
}

function changed(
  state: PlayerState,
  interventionId: string,
  change: (pending: PendingIntervention) => PendingIntervention,
): PlayerState {
  const interventions = state.interventions.map((pending) =>
    pending.interventionId === interventionId ? change(pending) : pending,
  );
  return { ...state, interventions };
}

function withoutFinished(
  interventions: readonly PendingIntervention[],
  at: number,
  limits: EvolveLimits,
): readonly PendingIntervention[] {
  const live = interventions.filter(({ expiresAt }) => expiresAt > at);
  if (live.length < limits.interventionsPerPlayer) return live;
  const done = live.findIndex((pending) => !isWaiting(pending, at, limits));
  return done === -1 ? live : live.toSpliced(done, 1);
}

/** Sorted by last change. At the limit, the tally unchanged for longest is removed. */
function tallied({ campaignTallies }: PlayerState, tally: PlayerState['campaignTallies'][number]) {
  const others = campaignTallies.filter(({ campaignId }) => campaignId !== tally.campaignId);
  return append(others, tally, CAMPAIGN_LIMITS.campaignTallies);
}
