import type { EntitySnapshot, Fact, IdempotencyKeyUsed } from '../../actors/vocabulary/facts.ts';
import { replyFromWire, replyToWire, type WireReply } from './reply-layout.ts';
import { stateFromTuple, stateToTuple, type StateTuple } from './state-layout.ts';
import type { CommitRecord, RequestPosition } from '../../actors/vocabulary/commit-record.ts';
import {
  eventFromTuple,
  eventToTuple,
  type EventTracked,
  type EventTuple,
} from '../../actors/vocabulary/event-tracked.ts';

/**
 * Layout of a FACTS record, version 1. Events come in runs of thousands and are positional. Other facts are objects,
 * whose shapes msgpackr writes once per record. A later field goes to the end, and reading supplies its default.
 */
export type CommitTuple = [
  partition: number,
  epoch: number,
  owner: string,
  committedAt: number,
  position: RequestPosition | null,
  configRevision: number,
  facts: WireFact[],
];

type WireFact =
  | EventTuple
  | (Omit<EntitySnapshot, 'state'> & { state: StateTuple })
  | (Omit<IdempotencyKeyUsed, 'reply'> & { reply: WireReply })
  | Exclude<Fact, EventTracked | EntitySnapshot | IdempotencyKeyUsed>;

export function commitToTuple(record: CommitRecord): CommitTuple {
  const { partition, epoch, owner, committedAt, position, configRevision, facts } = record;
  return [partition, epoch, owner, committedAt, position, configRevision, facts.map(factToWire)];
}

export function commitFromTuple(tuple: CommitTuple): CommitRecord {
  const [partition, epoch, owner, committedAt, position, configRevision, facts] = tuple;
  return { partition, epoch, owner, committedAt, position, configRevision, facts: facts.map(factFromWire) };
}

function factToWire(fact: Fact): WireFact {
  if (fact.kind === 'EventTracked') return eventToTuple(fact);
  if (fact.kind === 'EntitySnapshot') return { ...fact, state: stateToTuple(fact.state) };
  if (fact.kind === 'IdempotencyKeyUsed') return { ...fact, reply: replyToWire(fact.reply) };
  return fact;
}

function factFromWire(wire: WireFact): Fact {
  if (Array.isArray(wire)) return eventFromTuple(wire);
  if (wire.kind === 'EntitySnapshot') return { ...wire, state: stateFromTuple(wire.state) };
  if (wire.kind === 'IdempotencyKeyUsed') return { ...wire, reply: replyFromWire(wire.reply) };
  return wire;
}
