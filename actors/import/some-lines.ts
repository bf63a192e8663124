import { dayOf } from '../../core/kernel/days.ts';
import type { EventTally, OtherLine, PlayerEvents, PlayerHistory } from '../../core/vocabulary/commands/import.ts';
import { NEVER_SEEN } from '../../core/vocabulary/state/player.ts';
import { someEvents, unpackEvents, type PlainEvent } from '../../core/vocabulary/facts/packed-events.ts';

/** The lines behind `line`; `undefined`: there are none. */
export function linesAfter(history: PlayerHistory, line: number): PlayerHistory | undefined {
  const { lines } = history;
  if ((lines[0] ?? 0) > line) return history;
  if ((lines.at(-1) ?? 0) <= line) return undefined;
  return someLines(history, (place) => (lines[place] ?? 0) > line);
}

/** Some of a player's lines, in their order; `undefined`: none of them. Rare, so the events are read one by one. */
export function someLines(history: PlayerHistory, isWanted: (place: number) => boolean): PlayerHistory | undefined {
  const { playerId, externalId, events } = history;
  const places = Array.from(history.lines.keys()).filter((place) => isWanted(place));
  if (places.length === 0) return undefined;
  const lines = places.map((place) => history.lines[place] ?? 0);
  const others = history.others
    .filter(({ place }) => isWanted(place))
    .map((other): OtherLine => ({ ...other, place: places.indexOf(other.place) }));
  const kept = { playerId, externalId, lines, others };
  if (events === undefined) return { ...kept, ...timesOf(others) };
  const some = eventsAt(events, isWanted);
  // A refund is no activity of the player.
  const refunds = new Set(others.flatMap(({ place, refund }) => (refund === undefined ? [] : [place])));
  const seen = some.plain.filter((_, place) => !refunds.has(place)).map(({ at }) => at);
  return { ...kept, events: some.events, firstAt: Math.min(...seen), lastAt: Math.max(...seen) };
}

function eventsAt({ packed, ...said }: PlayerEvents, isWanted: (place: number) => boolean) {
  const some = someEvents(packed, isWanted);
  const plain = unpackEvents(some);
  const times = plain.map(({ at }) => at);
  const bounds = { fromAt: Math.min(...times), toAt: Math.max(...times) };
  return { plain, events: { ...said, packed: some, ...bounds, tallies: talliesOf(plain) } };
}

function timesOf(others: readonly OtherLine[]): Sighting {
  const seen = others.map(sightingOf);
  return {
    firstAt: Math.min(...seen.map(({ firstAt }) => firstAt)),
    lastAt: Math.max(...seen.map(({ lastAt }) => lastAt)),
  };
}

type Sighting = Pick<PlayerHistory, 'firstAt' | 'lastAt'>;

/** When a line saw its player first and last. A refund is no activity of the player. */
export function sightingOf({ at, player, refund }: Pick<OtherLine, 'at' | 'player' | 'refund'>): Sighting {
  if (refund !== undefined) return NO_SIGHTING;
  if (at !== NEVER_SEEN) return { firstAt: player?.firstSeenAt ?? at, lastAt: at };
  return { ...NO_SIGHTING, firstAt: player?.firstSeenAt ?? Infinity };
}

const NO_SIGHTING: Sighting = { firstAt: Infinity, lastAt: -Infinity };

/** Counts of events by name and day, in the order of their first event. */
export function talliesOf(events: readonly Pick<PlainEvent, 'eventName' | 'at'>[]): EventTally[] {
  const tallies: EventTally[] = [];
  for (const { eventName, at } of events) {
    const day = dayOf(at);
    const held = tallies.findLast(([name, otherDay]) => otherDay === day && name === eventName);
    if (held === undefined) tallies.push([eventName, day, 1]);
    else held[2] += 1;
  }
  return tallies;
}
