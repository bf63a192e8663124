import type {
  EntitySnapshot,
  EventMaker,
  EventTracked,
  Fact,
  IdempotencyKeyUsed,
} from '../../actors/vocabulary/facts.ts';
import { replyFromWire, replyToWire, type WireReply } from './reply-layout.ts';
import { stateFromTuple, stateToTuple, type StateTuple } from './state-layout.ts';
import type { LifecycleStage } from '../../actors/vocabulary/player.ts';
import type { CommitRecord, RequestPosition } from '../../actors/vocabulary/commit-record.ts';

/**
 * Layout of a FACTS record, version 1. Events come in runs of thousands and go by position; other facts are objects,
 * whose shapes msgpackr writes once a record. A later field goes to the end, and reading supplies its default.
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

type EventTuple = [
  entityId: string,
  game: string,
  live: boolean,
  at: number,
  eventId: string,
  remember: boolean,
  eventName: string,
  properties: string,
  sessionId: string | null,
  timestamp: number,
  externalId: string,
  lifecycleStage: LifecycleStage,
  isPayer: boolean,
  country: string,
  // Left out by nearly all.
  release?: [number: number, quarantinedAt: number] | null,
  schemaFault?: string | null,
  // Absent in records from before makers were kept.
  by?: number | null,
  forgets?: string,
];

const FORGETS_PLACE = 17;

/** Makers by number. Never reorder: append. */
const MAKERS = ['client', 'server', 'service'] as const satisfies readonly EventMaker[];

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

function eventToTuple(fact: EventTracked): EventTuple {
  const tuple: EventTuple = [
    fact.entityId,
    fact.game,
    fact.environment === 'live',
    fact.at,
    fact.eventId,
    fact.remember,
    fact.eventName,
    fact.properties,
    fact.sessionId,
    fact.timestamp,
    fact.externalId,
    fact.lifecycleStage,
    fact.isPayer,
    fact.country,
  ];
  const { release, schemaFault, by, forgets } = fact;
  if (release !== undefined) tuple.push([release.number, release.quarantinedAt]);
  else if (schemaFault !== undefined || by !== undefined) tuple.push(null);
  if (schemaFault !== undefined) tuple.push(schemaFault);
  else if (by !== undefined) tuple.push(null);
  if (by !== undefined) tuple.push(MAKERS.indexOf(by));
  if (forgets !== undefined) {
    while (tuple.length < FORGETS_PLACE) tuple.push(null);
    tuple.push(forgets);
  }
  return tuple;
}

function eventFromTuple(tuple: EventTuple): EventTracked {
  const fact: EventTracked = {
    kind: 'EventTracked',
    entityId: tuple[0],
    game: tuple[1],
    environment: tuple[2] ? 'live' : 'test',
    at: tuple[3],
    eventId: tuple[4],
    remember: tuple[5],
    eventName: tuple[6],
    properties: tuple[7],
    sessionId: tuple[8],
    timestamp: tuple[9],
    externalId: tuple[10],
    lifecycleStage: tuple[11],
    isPayer: tuple[12],
    country: tuple[13],
  };
  const release = tuple[14];
  if (release !== undefined && release !== null) fact.release = { number: release[0], quarantinedAt: release[1] };
  const schemaFault = tuple[15];
  if (schemaFault !== undefined && schemaFault !== null) fact.schemaFault = schemaFault;
  const by = tuple[16] === undefined || tuple[16] === null ? undefined : MAKERS[tuple[16]];
  if (by !== undefined) fact.by = by;
  if (tuple[FORGETS_PLACE] !== undefined) fact.forgets = tuple[FORGETS_PLACE];
  return fact;
}
