import type { Context, Draft } from '../decision.ts';
import { playerIn } from '../decision.ts';
import type { EventTracked } from '../vocabulary/facts.ts';

/**
 * Emits what an event says of an intervention that was delivered: that it was shown, or clicked. Each counts once, and only
 * for an intervention the player holds; a click also says that it was shown.
 */
export function respond(draft: Draft, event: EventTracked, context: Context): void {
  const { eventName, entityId } = event;
  if (eventName !== 'intervention_shown' && eventName !== 'intervention_clicked') return;
  const state = playerIn(context, draft.get(entityId));
  if (state === undefined || state.interventions.length === 0) return;
  const properties: { intervention_id?: unknown } = JSON.parse(event.properties);
  const held = state.interventions.find(({ interventionId }) => interventionId === properties.intervention_id);
  if (held === undefined) return;
  const { game, environment, at } = context;
  const { interventionId, campaignId, campaignKey, campaignVersion } = held;
  const { externalId } = state;
  const campaign = { campaignId, campaignKey, campaignVersion, externalId };
  const fact = { entityId, game, environment, at, ...campaign, interventionId, sessionId: event.sessionId };
  if (held.shownAt === 0) draft.emit({ kind: 'InterventionShown', ...fact });
  if (eventName === 'intervention_clicked') draft.emit({ kind: 'InterventionClicked', ...fact });
}
