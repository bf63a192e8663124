import type { CampaignSet } from '../decision/definitions.ts';
import { isExhausted } from '../conditions/steps.ts';
import type { Draft } from '../decision/decision.ts';
import type { Intervention } from '../../core/vocabulary/commands/replies.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import { ask, type Asked, mustWait, withdrawalOf } from './campaign-steps.ts';
import { causeOf } from './define/campaign-set.ts';
import { byPriority } from './priority.ts';
import { isWaiting } from './waiting.ts';
import type { OpenSession, PendingIntervention } from '../../core/vocabulary/state/player.ts';

/**
 * Delivers pending interventions to a session and emits the deliveries: the most urgent first, then the oldest, with
 * the current content of the campaign.
 *
 * An unshown intervention is delivered again only in a session opened later, until it expires, in at most
 * `interventionOffers` sessions. It waits while its campaign is disabled, not running or deleted, and in quiet hours.
 * If the player is not in the audience any more, does not meet the conditions that read the player, or is in a holdout
 * that has grown, it is withdrawn: a suppression records this.
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
  return deliverable(draft, state, session, campaigns, at).flatMap(({ pending, asked }): Intervention[] => {
    const { campaign } = asked;
    const reason = withdrawalOf(asked);
    // Without steps left every condition is false. The next sync decides.
    if (reason === 'not_eligible' && isExhausted()) return [];
    const { interventionId, campaignId, campaignKey, campaignVersion } = pending;
    const drawn = pending.variant;
    const variant = drawn !== undefined && campaign.hasVariant(drawn) ? { variant: drawn } : {};
    const names = { campaignId, campaignKey, campaignVersion, externalId, interventionId, ...variant };
    const fact = { entityId, game, environment, at, ...names };
    if (reason !== undefined) {
      draft.emit({ kind: 'InterventionSuppressed', ...fact, reason, cause: causeOf(campaign) });
      return [];
    }
    draft.emit({ kind: 'InterventionOffered', ...fact, sessionId });
    const { key, version, displayRules } = campaign.document;
    const content = campaign.render({ player: state, nowMs: at }, variant.variant);
    const of = { campaign: { key, version }, variant: variant.variant ?? null };
    return [{ interventionId, type: 'in_app_message', ...of, content, displayRules }];
  });
}

interface Deliverable {
  pending: PendingIntervention;
  asked: Asked;
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
    if (campaign === undefined) continue;
    const asked = ask(campaign, { player: state, nowMs: at }, limits);
    if (!mustWait(asked)) found.push({ pending, asked });
  }
  // Interventions are sorted by age, and the sort is stable.
  return found.sort((one, other) => byPriority(one.asked.campaign.priority, other.asked.campaign.priority));
}
