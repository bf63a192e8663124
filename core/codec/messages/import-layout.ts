import type { ComputedEvents } from '../../vocabulary/documents/computed.ts';
import type { EventTally, ImportHistory, PlayerHistory } from '../../vocabulary/commands/import.ts';
import type { EventsImported } from '../../vocabulary/facts/import-facts.ts';
import type { PlayedWith } from '../../vocabulary/state/device.ts';
import { plainBytes } from '../../vocabulary/facts/packed-events.ts';

/** Layouts of imported history in commands and facts. The packed bytes of a decoded value are a view of its message. */

/** The number with which the layout of imported events begins. */
export const EVENTS_IMPORTED = 1;

export type EventsImportedTuple = [
  kind: typeof EVENTS_IMPORTED,
  playerId: string,
  game: string,
  live: boolean,
  at: number,
  externalId: string,
  country: string,
  fromAt: number,
  toAt: number,
  payerFrom: number,
  tallies: EventTally[],
  count: number,
  bytes: Uint8Array,
  computed?: ComputedEvents | null,
  playedWith?: PlayedWith,
];

export function eventsImportedToTuple(fact: EventsImported): EventsImportedTuple {
  const { entityId, game, environment, at, externalId, country, fromAt, toAt, payerFrom, tallies, packed } = fact;
  const { count, bytes } = packed;
  const live = environment === 'live';
  const times = [fromAt, toAt] as const;
  const head = [EVENTS_IMPORTED, entityId, game, live, at, externalId, country] as const;
  const tuple: EventsImportedTuple = [...head, ...times, payerFrom, tallies, count, bytes];
  if (fact.computed !== undefined || fact.playedWith !== undefined) tuple.push(fact.computed ?? null);
  if (fact.playedWith !== undefined) tuple.push(fact.playedWith);
  return tuple;
}

export function eventsImportedFromTuple(tuple: EventsImportedTuple): EventsImported {
  const computed = tuple[13] ?? null;
  return {
    kind: 'EventsImported',
    entityId: tuple[1],
    game: tuple[2],
    environment: tuple[3] ? 'live' : 'test',
    at: tuple[4],
    externalId: tuple[5],
    country: tuple[6],
    fromAt: tuple[7],
    toAt: tuple[8],
    payerFrom: tuple[9],
    tallies: tuple[10],
    packed: { count: tuple[11], bytes: plainBytes(tuple[12]) },
    ...(computed === null ? {} : { computed }),
    ...(tuple[14] === undefined ? {} : { playedWith: tuple[14] }),
  };
}

/** A command as it was decoded, with plain bytes. */
export function importFromWire(body: ImportHistory): ImportHistory {
  return { ...body, players: body.players.map(historyFromWire) };
}

function historyFromWire(history: PlayerHistory): PlayerHistory {
  const { events } = history;
  if (events === undefined) return history;
  const { count, bytes } = events.packed;
  return { ...history, events: { ...events, packed: { count, bytes: plainBytes(bytes) } } };
}
