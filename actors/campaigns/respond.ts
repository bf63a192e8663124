import { type Context, type Draft, playerIn } from '../decision/decision.ts';
import type { EventTracked } from '../../core/vocabulary/facts/event-tracked.ts';

/**
 * Emits that a delivered intervention was shown or clicked, as an event reports it. Each counts once, and only for a
 * pending intervention of the player. A click also counts as shown.
 */
export function respond(draft: Draft, event: EventTracked, context: Context): void {
  const { eventName, entityId } = event;
  if (eventName !== 'intervention_shown' && eventName !== 'intervention_clicked') return;
  const state = playerIn(context, draft.get(entityId));
  if (state === undefined || state.interventions.length === 0) return;
  const properties: { intervention_id?: unknown } = JSON.parse(event.properties);
  const pending = state.interventions.find(({ interventionId }) => interventionId === properties.intervention_id);
  if (pending === undefined) return;
  const { game, environment, at } = context;
  const { interventionId, campaignId, campaignKey, campaignVersion } = pending;
  const { externalId } = state;
  const campaign = { campaignId, campaignKey, campaignVersion, externalId };
  const fact = { entityId, game, environment, at, ...campaign, interventionId, sessionId: event.sessionId };
  if (pending.shownAt === 0) draft.emit({ kind: 'InterventionShown', ...fact });
  if (eventName === 'intervention_clicked') draft.emit({ kind: 'InterventionClicked', ...fact });
}
