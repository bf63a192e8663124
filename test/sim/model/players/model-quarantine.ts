import type { QuarantineReason, Release, TrackItem } from '../../../../core/vocabulary/commands/commands.ts';
import type { EventQuarantined } from '../../../../core/vocabulary/facts/facts.ts';
import type { PlayerState } from '../../../../core/vocabulary/state/state.ts';
import type { CallerKind, Scope } from '../../../../core/vocabulary/documents/scope.ts';
import type { QuarantineTally, RecentEvent } from '../../../../core/vocabulary/state/player.ts';

/** A quarantined event: its id is used, and nothing else of the player changes. */
export function predictQuarantine(
  held: PlayerState,
  { playerId, eventId, remember, eventName, properties, sessionId, timestamp }: TrackItem,
  reason: QuarantineReason,
  scope: Scope,
  at: number,
  whose: { by?: CallerKind },
): { fact: EventQuarantined; next: PlayerState } {
  const number = held.quarantine.last + 1;
  const event = { eventId, remember, eventName, properties, sessionId, timestamp };
  const { externalId } = held;
  const fact = {
    kind: 'EventQuarantined',
    entityId: playerId,
    ...scope,
    at,
    ...event,
    externalId,
    number,
    reason,
    ...whose,
  } as const;
  const recent = { eventId, eventName, timestamp, receivedAt: at, quarantined: true, ...whose } as const;
  const recentEvents = remember ? [...held.recentEvents, recent] : held.recentEvents;
  return { fact, next: { ...held, recentEvents, quarantine: { ...held.quarantine, last: number } } };
}

/** The result of a replay of a quarantined event, which is tracked once. */
export function predictRelease(
  held: PlayerState,
  item: TrackItem,
  { number, by }: Release,
): 'accepted' | 'duplicate' | 'rejected' {
  const isThere = held.recentEvents.some((event) => isIt(event, item, by) && event.quarantined === undefined);
  if (isThere || numbersOf(held.quarantine).has(number)) return 'duplicate';
  return number > held.quarantine.last ? 'rejected' : 'accepted';
}

/** The player's quarantine and event ids after one of its quarantined events has been tracked. */
export function afterRelease(
  held: PlayerState,
  item: TrackItem,
  { number, by }: Release,
  at: number,
): Pick<PlayerState, 'recentEvents' | 'quarantine'> {
  const { eventId, eventName, timestamp } = item;
  const recentEvents = held.recentEvents.map((event) =>
    isIt(event, item, by)
      ? { eventId, eventName, timestamp, receivedAt: at, ...(event.by === undefined ? {} : { by: event.by }) }
      : event,
  );
  const { last } = held.quarantine;
  return { recentEvents, quarantine: { last, released: rangesOf(numbersOf(held.quarantine).add(number)) } };
}

/** The remembered id of the released event, from the same kind of caller or from an unknown one. */
function isIt(event: RecentEvent, { eventId }: TrackItem, by: CallerKind | undefined): boolean {
  return event.eventId === eventId && (event.by === by || event.by === undefined || by === undefined);
}

/** The quarantine of a new life whose id had this many quarantined events before. All of them count as released. */
export function quarantineOfNewLife(last: number): QuarantineTally {
  return { last, released: last === 0 ? [] : [{ from: 1, to: last }] };
}

function numbersOf({ released }: QuarantineTally): Set<number> {
  return new Set(released.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, place) => from + place)));
}

function rangesOf(numbers: ReadonlySet<number>): { from: number; to: number }[] {
  const starts = [...numbers].filter((number) => !numbers.has(number - 1)).toSorted((one, other) => one - other);
  return starts.map((from) => {
    let to = from;
    while (numbers.has(to + 1)) to += 1;
    return { from, to };
  });
}
