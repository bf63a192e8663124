import { ERRORS } from '../../src/kernel/errors.ts';
import type { TrackItem } from '../commands.ts';
import { playerIn, type Context, type Draft } from '../decision.ts';
import { exposeTracked } from '../flags/expose-tracked.ts';
import type { TrackResult } from '../replies.ts';
import type { PlayerState } from '../state.ts';
import type { Targeting } from '../targeting.ts';

/**
 * Tracks one event: accepted, answered again as it was the first time, or rejected as its player does not exist.
 * @param targeting looked up only when the event names a flag
 */
export function trackEvent(draft: Draft, item: TrackItem, context: Context, targeting: () => Targeting): TrackResult {
  const state = playerIn(context, draft.get(item.playerId));
  if (state === undefined) {
    const error = { code: 'PLAYER_NOT_FOUND', message: ERRORS.PLAYER_NOT_FOUND.message } as const;
    return { ...resultOf(item, context, 'rejected'), error };
  }
  const earlier = item.remember ? state.recentEvents.find((event) => event.eventId === item.eventId) : undefined;
  if (earlier !== undefined) {
    const { eventName, timestamp, receivedAt } = earlier;
    return { ...resultOf(item, context, 'duplicate'), eventName, timestamp, receivedAt };
  }
  emitTracked(draft, state, item, context);
  for (const exposed of exposeTracked(state, item.properties, targeting, context)) draft.emit(exposed);
  return resultOf(item, context, 'accepted');
}

function emitTracked(draft: Draft, state: PlayerState, item: TrackItem, context: Context): void {
  draft.emit({
    kind: 'EventTracked',
    entityId: item.playerId,
    game: context.game,
    environment: context.environment,
    at: context.at,
    eventId: item.eventId,
    remember: item.remember,
    eventName: item.eventName,
    properties: item.properties,
    sessionId: item.sessionId,
    timestamp: item.timestamp,
    externalId: state.externalId,
    lifecycleStage: state.lifecycleStage,
    isPayer: state.isPayer,
    country: state.country,
  });
}

function resultOf(item: TrackItem, context: Context, status: TrackResult['status']): TrackResult {
  return {
    index: item.index,
    eventId: item.eventId,
    playerId: item.playerId,
    eventName: item.eventName,
    timestamp: item.timestamp,
    receivedAt: context.at,
    status,
  };
}
