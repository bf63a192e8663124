import { LIMITS } from '../../src/kernel/limits.ts';
import type { EventQuarantined } from '../vocabulary/facts.ts';
import type { PlayerState } from '../vocabulary/state.ts';
import { remembered } from './recent-events.ts';
import { mayBeSame } from '../vocabulary/scope.ts';
import { NO_QUARANTINE, type QuarantineTally, type RecentEvent } from '../vocabulary/player.ts';
import type { EventTracked } from '../vocabulary/event-tracked.ts';

/*
 * Every quarantined event of a player has a number, and the player holds the ranges of numbers that were released. So an event is
 * released at most once however often, from wherever and however late it is asked for: its id may be long forgotten by then.
 */

/** What may be done with a quarantined event; `unknown`: the player never had one of that number. */
export type ReleaseAnswer = 'released' | 'unreleased' | 'unknown' | 'no_room';

/** Whether the event of a number can be released. `no_room`: it would be one range more than a player may hold. */
export function askRelease({ last, released }: QuarantineTally, number: number): ReleaseAnswer {
  if (number > last) return 'unknown';
  const place = placeOf(released, number);
  const range = released[place];
  if (range !== undefined && range.from <= number && number <= range.to) return 'released';
  const isApart = range === undefined || range.from > number + 1;
  return isApart && released.length >= LIMITS.quarantineRanges ? 'no_room' : 'unreleased';
}

/** An event was set aside. Its id is remembered like that of any other, and nothing else of the player changes. */
export function quarantined(state: PlayerState, fact: EventQuarantined): PlayerState {
  const { eventId, eventName, timestamp, at: receivedAt, by } = fact;
  const whose = by === undefined ? {} : { by };
  const event = { eventId, eventName, timestamp, receivedAt, quarantined: true, ...whose } as const;
  return {
    ...state,
    recentEvents: fact.remember ? remembered(state.recentEvents, event) : state.recentEvents,
    quarantine: { ...state.quarantine, last: fact.number },
  };
}

/** A quarantined event was tracked after all: a repeat of its id, where it is remembered, is one of an accepted event now. */
export function released(state: PlayerState, fact: EventTracked, number: number): PlayerState {
  const { eventId, eventName, timestamp, at: receivedAt, by } = fact;
  const sender = by === 'service' ? undefined : by;
  const isIt = (event: RecentEvent) => event.eventId === eventId && mayBeSame(event.by, sender);
  return {
    ...state,
    recentEvents: state.recentEvents.some(isIt)
      ? state.recentEvents.map((event) =>
          isIt(event)
            ? { eventId, eventName, timestamp, receivedAt, ...(event.by === undefined ? {} : { by: event.by }) }
            : event,
        )
      : state.recentEvents,
    quarantine: withReleased(state.quarantine, number),
  };
}

/** What a player that comes to be after an erasure starts with: none of the numbers so far can be released to it. */
export function afterErasure(last: number): QuarantineTally {
  return last === 0 ? NO_QUARANTINE : { last, released: [{ from: 1, to: last }] };
}

function withReleased({ last, released }: QuarantineTally, number: number): QuarantineTally {
  const place = placeOf(released, number);
  const range = released[place];
  if (range === undefined || range.from > number + 1) {
    return { last, released: released.toSpliced(place, 0, { from: number, to: number }) };
  }
  const from = Math.min(range.from, number);
  const to = Math.max(range.to, number);
  const next = released[place + 1];
  const joins = next?.from === to + 1;
  return { last, released: released.toSpliced(place, joins ? 2 : 1, { from, to: joins ? next.to : to }) };
}

/** Where the first range is that ends at the number before or later: the only one that the number may lie in, or be added to. */
function placeOf(released: QuarantineTally['released'], number: number): number {
  // Mostly the newest are asked for.
  let place = released.length;
  while (place > 0 && (released[place - 1]?.to ?? 0) >= number - 1) place -= 1;
  return place;
}
