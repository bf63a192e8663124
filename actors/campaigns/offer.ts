import type { Draft } from '../decision.ts';
import type { Intervention } from '../vocabulary/replies.ts';
import type { PlayerState } from '../vocabulary/state.ts';
import type { Campaign } from '../targeting.ts';
import type { CampaignSet } from './campaign-set.ts';
import { byPriority } from './priority.ts';
import { isWaiting } from './waiting.ts';
import type { OpenSession, PendingIntervention } from '../vocabulary/player.ts';

/**
 * Delivers pending interventions to a session and emits the deliveries: the most urgent first, then the oldest, with
 * the current content of the campaign.
 *
 * An unshown intervention is delivered again only in a session opened later, until it expires, in at most
 * `interventionOffers` sessions. It waits while its campaign is disabled, over or deleted, and in quiet hours.
 * @param state the player's current state in the draft
 * @param at epoch milliseconds
 */
export function offerInterventions(
  draft: Draft,
  state: PlayerState,
  sessionId: string,
  campaigns: CampaignSet,
  at: number,
): Intervention[] {
  if (state.interventions.length === 0) return [];
  const session = state.sessions.find((open) => open.sessionId === sessionId);
  if (session === undefined) return [];
  const { id: entityId, game, environment, externalId } = state;
  return deliverable(draft, state, session, campaigns, at).map(({ pending, campaign }) => {
    const { interventionId, campaignId, campaignKey, campaignVersion } = pending;
    const fact = { entityId, game, environment, at, campaignId, campaignKey, campaignVersion, externalId };
    draft.emit({ kind: 'InterventionOffered', ...fact, interventionId, sessionId });
    const { content, displayRules } = campaign.document;
    return { interventionId, type: 'in_app_message', content, displayRules };
  });
}

interface Deliverable {
  pending: PendingIntervention;
  campaign: Campaign;
}

function deliverable(
  { limits }: Draft,
  state: PlayerState,
  session: OpenSession,
  campaigns: CampaignSet,
  at: number,
): Deliverable[] {
  const found: Deliverable[] = [];
  for (const pending of state.interventions) {
    if (!isWaiting(pending, at, limits) || session.openedAt <= pending.offeredAt) continue;
    const campaign = campaigns.get(pending.campaignId);
    if (campaign !== undefined && !isOver(campaign, at) && !campaign.isQuiet(state, at))
      found.push({ pending, campaign });
  }
  // Interventions are sorted by age, and the sort is stable.
  return found.sort((one, other) => byPriority(one.campaign.priority, other.campaign.priority));
}

function isOver({ document: { endAt } }: Campaign, at: number): boolean {
  return endAt !== null && at >= endAt;
}
