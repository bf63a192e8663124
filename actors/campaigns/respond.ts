import { type Context, type Draft, playerIn } from '../decision/decision.ts';
import { isButtonId } from './message/limits.ts';
import type { EventTracked } from '../../core/vocabulary/facts/event-tracked.ts';

/**
 * Emits that a delivered intervention was shown, clicked or dismissed, as an event reports it. Each counts once, and
 * only for a pending intervention of the player. A click and a dismissal end it, and also count as shown.
 */
export function respond(draft: Draft, event: EventTracked, context: Context): void {
  const { eventName, entityId } = event;
  if (!REPORTS.has(eventName)) return;
  const state = playerIn(context, draft.get(entityId));
  if (state === undefined || state.interventions.length === 0) return;
  const properties: { intervention_id?: unknown; button_id?: unknown } = JSON.parse(event.properties);
  const pending = state.interventions.find(({ interventionId }) => interventionId === properties.intervention_id);
  if (pending === undefined) return;
  const { game, environment, at } = context;
  const { interventionId, campaignId, campaignKey, campaignVersion, variant } = pending;
  const { externalId } = state;
  const of = { campaignId, campaignKey, campaignVersion, externalId };
  const campaign = variant === undefined ? of : { ...of, variant };
  const fact = { entityId, game, environment, at, ...campaign, interventionId, sessionId: event.sessionId };
  if (pending.shownAt === 0) draft.emit({ kind: 'InterventionShown', ...fact });
  if (eventName === 'intervention_clicked') {
    draft.emit({ kind: 'InterventionClicked', ...fact, ...buttonOf(properties.button_id) });
  }
  if (eventName === 'intervention_dismissed') draft.emit({ kind: 'InterventionDismissed', ...fact });
}

const REPORTS: ReadonlySet<string> = new Set(['intervention_shown', 'intervention_clicked', 'intervention_dismissed']);

/** The campaign may have other buttons by now, so any id counts that a button may have. */
function buttonOf(id: unknown): { button?: string } {
  return typeof id === 'string' && isButtonId(id) ? { button: id } : {};
}
