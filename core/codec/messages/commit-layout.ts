import type { EventsImported } from '../../vocabulary/facts/import-facts.ts';
import type { EntitySnapshot, Fact } from '../../vocabulary/facts/facts.ts';
import { isKnownFact } from '../../vocabulary/formats.ts';
import {
  EVENTS_IMPORTED,
  eventsImportedFromTuple,
  eventsImportedToTuple,
  type EventsImportedTuple,
} from './import-layout.ts';
import { ownGuest } from './own-guest.ts';
import { UnknownVersionError } from '../unknown-version.ts';
import { decodeState, encodeState } from '../state/state-codec.ts';
import type { CommitRecord, RequestPosition } from '../../vocabulary/facts/commit-record.ts';
import { createContextPacker, createContextUnpacker } from '../../vocabulary/facts/event-context.ts';
import {
  eventFromTuple,
  eventToTuple,
  type EventTracked,
  type EventTuple,
} from '../../vocabulary/facts/event-tracked.ts';

/**
 * Layout of a FACTS record: this tuple; the other values of the frame hold the facts. Events come in runs of thousands
 * and are positional. An event begins with the player's id, another positional fact with a number. The other facts are
 * objects.
 */
export type CommitTuple = [
  partition: number,
  epoch: number,
  owner: string,
  committedAt: number,
  position: RequestPosition | null,
  configRevision: number,
];

export type WireFact =
  | EventTuple
  | EventsImportedTuple
  | (Omit<EntitySnapshot, 'state'> & { state: Uint8Array })
  | Exclude<Fact, EventTracked | EventsImported | EntitySnapshot>;

export function commitToTuple(record: CommitRecord): CommitTuple {
  const { partition, epoch, owner, committedAt, position, configRevision } = record;
  return [partition, epoch, owner, committedAt, position, configRevision];
}

export function commitFromTuple(tuple: CommitTuple): CommitRecord {
  const [partition, epoch, owner, committedAt, position, configRevision] = tuple;
  return { partition, epoch, owner, committedAt, position, configRevision, facts: [] };
}

/** Facts of one value of a record. */
export function factsToWire(facts: readonly Fact[]): WireFact[] {
  const contextOf = createContextPacker();
  return facts.map((fact) => (fact.kind === 'EventTracked' ? eventToTuple(fact, contextOf(fact)) : otherToWire(fact)));
}

function otherToWire(fact: Exclude<Fact, EventTracked>): WireFact {
  if (fact.kind === 'EventsImported') return eventsImportedToTuple(fact);
  if (fact.kind === 'EntitySnapshot') return { ...fact, state: encodeState(fact.state) };
  return fact;
}

/** The events of a record's values; other facts are not read. */
export function eventsAmong(values: readonly (readonly WireFact[])[]): { index: number; fact: EventTracked }[] {
  const events: { index: number; fact: EventTracked }[] = [];
  let index = 0;
  for (const facts of values) {
    const contextOf = createContextUnpacker();
    for (const wire of facts) {
      if (isEventTuple(wire)) events.push({ index, fact: eventFromTuple(wire, contextOf) });
      index += 1;
    }
  }
  return events;
}

const isEventTuple = (wire: WireFact): wire is EventTuple => Array.isArray(wire) && typeof wire[0] === 'string';
const isEventsImported = (wire: WireFact): wire is EventsImportedTuple =>
  Array.isArray(wire) && wire[0] === EVENTS_IMPORTED;

/** Facts of one value of a record. */
export function factsFromWire(facts: readonly WireFact[]): Fact[] {
  const contextOf = createContextUnpacker();
  return facts.map((wire) => (isEventTuple(wire) ? eventFromTuple(wire, contextOf) : otherFromWire(wire)));
}

function otherFromWire(wire: Exclude<WireFact, EventTuple>): Fact {
  if (isEventsImported(wire)) return eventsImportedFromTuple(wire);
  if (Array.isArray(wire) || !isKnownFact(wire.kind)) throw unknownFact(wire);
  if (wire.kind === 'EntitySnapshot') return { ...wire, state: decodeState(wire.state) };
  if (wire.kind === 'PlayerAbsorbed' || wire.kind === 'GuestReleased') return ownGuest(wire);
  // A state keeps the reply: as a part of the record's memory it would hold all of it.
  if (wire.kind === 'IdempotencyKeyUsed') return { ...wire, reply: new Uint8Array(wire.reply) };
  return wire;
}

function unknownFact(wire: unknown): UnknownVersionError {
  const kind = Array.isArray(wire) ? wire[0] : wire;
  const name = typeof kind === 'object' && kind !== null && 'kind' in kind ? kind.kind : kind;
  return new UnknownVersionError(`a fact of the kind ${String(name)} is unknown: a newer version wrote it`);
}
