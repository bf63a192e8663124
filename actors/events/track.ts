import { ERRORS } from '../../core/kernel/errors.ts';
import type { QuarantineReason, Release, TrackEvents, TrackItem } from '../../core/vocabulary/commands/commands.ts';
import { computedBy } from '../properties/concerned-properties.ts';
import { type Context, type Draft, playerIn } from '../decision/decision.ts';
import { exposeTracked } from '../flags/exposure/expose-tracked.ts';
import type { TrackedReply, TrackResult } from '../../core/vocabulary/commands/replies.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import type { Targeting } from '../decision/targeting.ts';
import { forgottenFor } from '../computed/event-counters.ts';
import { releaseStatus, tallyOfRelease } from './quarantine.ts';
import { isAccepted, recall } from './recent-events.ts';
import { movedIn } from '../decision/merged.ts';
import { SERVICE_EVENTS } from '../../core/vocabulary/service-events.ts';
import { eventTracked, type EventSender } from '../../core/vocabulary/facts/event-tracked.ts';

/** Tracks events in their order. */
export function trackEvents(
  draft: Draft,
  { items }: TrackEvents,
  context: Context,
  targeting: () => Targeting,
): TrackedReply {
  return { kind: 'tracked', results: items.map((item) => trackEvent(draft, item, context, targeting)) };
}

/**
 * Tracks one event. The result is accepted, quarantined, a repeat of the first result, or rejected because the player
 * does not exist.
 * @param targeting called only when the event names a flag
 * @param by the source: the caller, or the service for events of its own
 */
export function trackEvent(
  draft: Draft,
  item: TrackItem,
  context: Context,
  targeting: () => Targeting,
  by: EventSender | undefined = context.by,
): TrackResult {
  const held = draft.get(item.playerId);
  const moved = movedIn(context, held);
  if (moved !== undefined) return { ...resultOf(item, context, 'moved'), moved };
  const state = playerIn(context, held);
  if (state === undefined) {
    const error = { code: 'PLAYER_NOT_FOUND', message: ERRORS.PLAYER_NOT_FOUND.message } as const;
    return { ...resultOf(item, context, 'rejected'), error };
  }
  if (item.release !== undefined) return releaseEvent(draft, state, item, item.release, context, targeting);
  const earlier = item.remember ? recall(state, item.eventId, context.by) : undefined;
  if (earlier !== undefined) {
    const { eventName, timestamp, receivedAt } = earlier;
    const first = { eventName, timestamp, receivedAt };
    if (earlier.quarantined === true) return { ...resultOf(item, context, 'quarantined'), ...first, repeated: true };
    return { ...resultOf(item, context, 'duplicate'), ...first };
  }
  if (item.quarantine !== undefined) {
    emitQuarantined(draft, state, item, item.quarantine, context);
    return resultOf(item, context, 'quarantined');
  }
  // Exposes the flag first, because an event that counts as exposure may itself be the conversion.
  exposeTracked(draft, state, item.properties, targeting, context);
  emitTracked(draft, state, item, context, targeting, by);
  return resultOf(item, context, 'accepted');
}

/**
 * Tracks an event that the service makes of a recorded session, a purchase or a refund. The command is remembered, not
 * its event.
 * @param targeting called only when the event names a flag
 */
export function trackServiceEvent(
  draft: Draft,
  event: Pick<TrackItem, 'playerId' | 'eventId' | 'eventName' | 'properties' | 'sessionId' | 'timestamp'>,
  context: Context,
  targeting: () => Targeting,
): void {
  trackEvent(draft, { index: 0, remember: false, ...event }, context, targeting, 'service');
}

/**
 * Tracks a quarantined event once. It is received now and keeps its own timestamp. It exposes no flag, because the
 * flags served at that time may differ from today's.
 */
function releaseEvent(
  draft: Draft,
  state: PlayerState,
  item: TrackItem,
  release: Release,
  context: Context,
  targeting: () => Targeting,
): TrackResult {
  const { number, by } = release;
  const answer = releaseStatus(tallyOfRelease(state, release), number);
  // The same id may have been accepted again after the player's state dropped it.
  if (answer === 'released' || isAccepted(state, item.eventId, by)) return resultOf(item, context, 'duplicate');
  if (answer === 'unreleased') {
    emitTracked(draft, state, item, context, targeting, by);
    return resultOf(item, context, 'accepted');
  }
  return { ...resultOf(item, context, 'rejected'), error: NOT_RELEASED[answer] };
}

const NOT_RELEASED = {
  unknown: { code: 'NOT_FOUND', message: 'The player has no such quarantined event.' },
  full: { code: 'CONFLICT', message: 'Earlier quarantined events of the player must be replayed first.' },
} as const;

function emitQuarantined(
  draft: Draft,
  state: PlayerState,
  item: TrackItem,
  reason: QuarantineReason,
  context: Context,
): void {
  draft.emit({
    kind: 'EventQuarantined',
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
    number: state.quarantine.last + 1,
    reason,
    ...(context.by === undefined ? {} : { by: context.by }),
  });
}

function emitTracked(
  draft: Draft,
  state: PlayerState,
  item: TrackItem,
  context: Context,
  targeting: () => Targeting,
  by: EventSender | undefined,
): void {
  const forgets = forgottenFor(
    state.counters,
    item.eventName,
    (name) => SERVICE_EVENTS.has(name) || targeting().countedEvents?.has(name) === true,
  );
  const computed = computedBy(draft, state, item.eventName, item.properties, context.at);
  draft.emit(eventTracked(item, state, context, by, forgets, computed));
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
