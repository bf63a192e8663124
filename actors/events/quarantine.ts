import { QUARANTINE_LIMITS } from './limits.ts';
import type { EventQuarantined } from '../../core/vocabulary/facts/facts.ts';
import type { Release } from '../../core/vocabulary/commands/commands.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import { remembered, withAccepted } from './recent-events.ts';
import type { EvolveLimits } from '../decision/decision.ts';
import { NO_QUARANTINE, type QuarantineTally } from '../../core/vocabulary/state/player.ts';
import type { EventTracked } from '../../core/vocabulary/facts/event-tracked.ts';

/*
 * Every quarantined event of a player has a number, and the player's state holds the ranges of released numbers. An
 * event is therefore released at most once, even when its id is no longer kept.
 */

/** The release status of a quarantined event. `unknown`: the player never had an event of that number. */
export type ReleaseStatus = 'released' | 'unreleased' | 'unknown' | 'full';

/** Returns the release status of a number. `full`: its release would exceed the maximum of ranges per player. */
export function releaseStatus({ last, released }: QuarantineTally, number: number): ReleaseStatus {
  if (number > last) return 'unknown';
  const place = placeOf(released, number);
  const range = released[place];
  if (range !== undefined && range.from <= number && number <= range.to) return 'released';
  const isApart = range === undefined || range.from > number + 1;
  return isApart && released.length >= QUARANTINE_LIMITS.quarantineRanges ? 'full' : 'unreleased';
}

/** Applies a quarantined event: only its id and its number are stored. */
export function quarantined(state: PlayerState, fact: EventQuarantined, limits: EvolveLimits): PlayerState {
  const { eventId, eventName, timestamp, at: receivedAt, by } = fact;
  const caller = by === undefined ? {} : { by };
  const event = { eventId, eventName, timestamp, receivedAt, quarantined: true, ...caller } as const;
  return {
    ...state,
    ...(fact.remember ? remembered(state, event, limits) : undefined),
    quarantine: { ...state.quarantine, last: fact.number },
  };
}

/** Applies the release of a quarantined event. From then on a repeat of its id is a repeat of an accepted event. */
export function released(
  state: PlayerState,
  fact: EventTracked,
  { number, guestId }: Omit<Release, 'by'>,
): PlayerState {
  const { eventId, eventName, timestamp, at: receivedAt, by } = fact;
  const sender = by === 'service' ? undefined : by;
  return {
    ...state,
    ...withAccepted(state, { eventId, eventName, timestamp, receivedAt }, sender),
    ...tallies(state, guestId, number),
  };
}

function tallies(state: PlayerState, guestId: string | undefined, number: number): Partial<PlayerState> {
  if (guestId === undefined) return { quarantine: withReleased(state.quarantine, number) };
  const guestQuarantines = state.guestQuarantines?.map((one) =>
    one.playerId === guestId ? { playerId: guestId, ...withReleased(one, number) } : one,
  );
  return guestQuarantines === undefined ? {} : { guestQuarantines };
}

/** The tally that a release names: the player's own, or that of a guest. */
export function tallyOfRelease(
  { quarantine, guestQuarantines = [] }: PlayerState,
  { guestId }: Pick<Release, 'guestId'>,
): QuarantineTally {
  if (guestId === undefined) return quarantine;
  return guestQuarantines.find(({ playerId }) => playerId === guestId) ?? NO_QUARANTINE;
}

/** The initial tally of a player registered after an erasure: no earlier number can be released. */
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

/** The index of the first range that ends at `number - 1` or later: the only range that may hold or take the number. */
function placeOf(released: QuarantineTally['released'], number: number): number {
  // Searches from the end, because most releases are of recent events.
  let place = released.length;
  while (place > 0 && (released[place - 1]?.to ?? 0) >= number - 1) place -= 1;
  return place;
}
