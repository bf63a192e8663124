import type { Draft } from '../decision.ts';
import type { Intervention } from '../vocabulary/replies.ts';
import type { PlayerState } from '../vocabulary/state.ts';
import type { Campaign } from '../targeting.ts';
import type { CampaignSet } from './campaign-set.ts';
import { byPriority } from './priority.ts';
import { isWaiting } from './waiting.ts';
import type { OpenSession, PendingIntervention } from '../vocabulary/player.ts';

/**
 * What waits to be shown to a player in a session: the most urgent first, then the oldest, with the content its campaign
 * has now. Emits that it was delivered.
 *
 * It is delivered once, and again only in a session that was opened later, in case the client never showed it: until it
 * expires, or in so many sessions. While its campaign is disabled, over or gone, or the player has quiet hours, it waits.
 * @param state the player as the draft has it now
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
  return deliverable(draft, state, session, campaigns, at).map(({ held, campaign }) => {
    const { interventionId, campaignId, campaignKey, campaignVersion } = held;
    const fact = { entityId, game, environment, at, campaignId, campaignKey, campaignVersion, externalId };
    draft.emit({ kind: 'InterventionOffered', ...fact, interventionId, sessionId });
    const { content, displayRules } = campaign.document;
    return { interventionId, type: 'in_app_message', content, displayRules };
  });
}

interface Deliverable {
  held: PendingIntervention;
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
  for (const held of state.interventions) {
    if (!isWaiting(held, at, limits) || session.openedAt <= held.offeredAt) continue;
    const campaign = campaigns.get(held.campaignId);
    if (campaign !== undefined && !isOver(campaign, at) && !campaign.isQuiet(state, at)) found.push({ held, campaign });
  }
  // They are held in order of their age, and sorting keeps the order of equal ones.
  return found.sort((one, other) => byPriority(one.campaign.priority, other.campaign.priority));
}

function isOver({ document: { endAt } }: Campaign, at: number): boolean {
  return endAt !== null && at >= endAt;
}
