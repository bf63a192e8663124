import type { EvolveLimits } from '../decision/decision.ts';
import type { RecentEvent } from '../../core/vocabulary/state/player.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import { withComputed } from '../computed/evolve-properties.ts';
import { counted } from '../computed/event-counters.ts';
import { released } from './quarantine.ts';
import { remembered } from './recent-events.ts';
import { isActivity, type EventTracked } from '../../core/vocabulary/facts/event-tracked.ts';

export function tracked(state: PlayerState, fact: EventTracked, limits: EvolveLimits): PlayerState {
  const stored = fact.remember ? remembered(state, recentEventOf(fact), limits) : undefined;
  const counters = counted(state.counters, fact.eventName, fact.at, fact.forgets);
  const next = {
    ...state,
    ...stored,
    counters,
    lastSeenAt: isActivity(fact) ? Math.max(state.lastSeenAt, fact.at) : state.lastSeenAt,
  };
  if (fact.computed !== undefined) next.computed = withComputed(state.computed, fact.computed, fact.at);
  return fact.release === undefined ? next : released(next, fact, fact.release);
}

function recentEventOf({ eventId, eventName, timestamp, at: receivedAt, by }: EventTracked): RecentEvent {
  const event = { eventId, eventName, timestamp, receivedAt };
  return by === undefined || by === 'service' ? event : { ...event, by };
}
