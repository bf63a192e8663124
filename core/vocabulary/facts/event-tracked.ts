import { PASSIVE_EVENTS, PURCHASE_EVENT } from '../service-events.ts';
import type { JsonText } from '../../kernel/text/json.ts';
import type { Release, TrackItem } from '../commands/commands.ts';
import type { ComputedUpdate } from '../documents/computed.ts';
import { type ContextTuple, type EventContext, eventContext } from './event-context.ts';
import type { FactBase } from './fact-base.ts';
import type { CallerKind, Scope } from '../documents/scope.ts';
import type { PlayerState } from '../state/state.ts';
import { AGGREGATES, aggregateOf, type ComputedScalar } from '../state/aggregates.ts';

/*
 * The fact of an accepted event: its fields, their sources, and its layout in the log. The layout is positional,
 * because events come in runs of thousands.
 *
 * Invariant: a position never changes its meaning. A new field is optional and goes to the end.
 */

/** The source of an event: the caller's kind of key, or the service for recorded sessions and purchases. */
export type EventSender = CallerKind | 'service';

/** An event was accepted. It holds all fields that sinks need, so that no sink reads the player. */
export interface EventTracked extends FactBase, EventContext {
  kind: 'EventTracked';
  eventId: string;
  /** Whether the player must store the id, because it can repeat. */
  remember: boolean;
  eventName: string;
  properties: JsonText;
  sessionId: string | null;
  timestamp: number;
  externalId: string;
  /** Present when the event was quarantined before. Its sender is the fact's `by`. */
  release?: Omit<Release, 'by'>;
  /** The first fault that the event's schema found, where the schema is not enforced. */
  schemaFault?: string;
  /** Absent if its command had none. */
  by?: EventSender;
  /** The name whose counter this one evicts, if it is not the least recently used. */
  forgets?: string;
  /** What it adds to computed properties. Absent without any. */
  computed?: readonly ComputedUpdate[];
}

/**
 * Whether the player did something now: all events but those that the service makes of refunds, corrections and
 * receipts. A purchase that begins to count later was activity when it was reported.
 */
export function isActivity({ by, eventName, timestamp, at }: EventTracked): boolean {
  if (by !== 'service') return true;
  return !PASSIVE_EVENTS.includes(eventName) && !(eventName === PURCHASE_EVENT && timestamp < at);
}

/** The fact of an event. `at` is the time of receipt, epoch milliseconds. */
export function eventTracked(
  item: TrackItem,
  player: PlayerState,
  { game, environment, at }: Scope & { at: number },
  by: EventSender | undefined,
  forgets: string | undefined,
  computed: readonly ComputedUpdate[] | undefined,
): EventTracked {
  const { release, schemaFault } = item;
  const fact: EventTracked = {
    kind: 'EventTracked',
    entityId: item.playerId,
    game,
    environment,
    at,
    eventId: item.eventId,
    remember: item.remember,
    eventName: item.eventName,
    properties: item.properties,
    sessionId: item.sessionId,
    timestamp: item.timestamp,
    externalId: player.externalId,
    ...eventContext(player, item),
  };
  if (release !== undefined) {
    const { by: _, ...released } = release;
    fact.release = released;
  }
  if (schemaFault !== undefined) fact.schemaFault = schemaFault;
  if (by !== undefined) fact.by = by;
  if (forgets !== undefined) fact.forgets = forgets;
  if (computed !== undefined) fact.computed = computed;
  return fact;
}

/** Layout of an event in a record of FACTS, version 1. Absent fields at its end are left out. */
export type EventTuple = [
  playerId: string,
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
  context: ContextTuple,
  release?: [number: number, quarantinedAt: number, guestId?: string] | null,
  schemaFault?: string | null,
  by?: number | null,
  forgets?: string | null,
  computed?: ComputedTuple[] | null,
];

type ComputedTuple = [id: string, generation: number, aggregate: number, days: number, value: ComputedScalar];

/** Sources by number. Never reorder: append. */
const SENDERS = ['client', 'server', 'service'] as const satisfies readonly EventSender[];

/** @param context of the event, as the value has it that holds the event */
export function eventToTuple(fact: EventTracked, context: ContextTuple): EventTuple {
  const { release, schemaFault, by, forgets, computed } = fact;
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
    context,
    release === undefined ? null : releaseToTuple(release),
    schemaFault ?? null,
    by === undefined ? null : SENDERS.indexOf(by),
    forgets ?? null,
    computed?.map(updateToTuple) ?? null,
  ];
  while (tuple[tuple.length - 1] === null) tuple.pop();
  return tuple;
}

export function eventFromTuple(tuple: EventTuple, contextOf: (context: ContextTuple) => EventContext): EventTracked {
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
    ...contextOf(tuple[11]),
  };
  const release = tuple[12] ?? null;
  const schemaFault = tuple[13] ?? null;
  const sender = tuple[14] ?? null;
  const forgets = tuple[15] ?? null;
  const computed = tuple[16] ?? null;
  if (release !== null) {
    const [number, quarantinedAt, guestId] = release;
    fact.release = { number, quarantinedAt, ...(guestId === undefined ? {} : { guestId }) };
  }
  if (schemaFault !== null) fact.schemaFault = schemaFault;
  const by = sender === null ? undefined : SENDERS[sender];
  if (by !== undefined) fact.by = by;
  if (forgets !== null) fact.forgets = forgets;
  if (computed !== null) fact.computed = computed.map(updateFromTuple);
  return fact;
}

function releaseToTuple({ number, quarantinedAt, guestId }: NonNullable<EventTracked['release']>) {
  const tuple: NonNullable<EventTuple[12]> = [number, quarantinedAt];
  if (guestId !== undefined) tuple.push(guestId);
  return tuple;
}

function updateToTuple({ id, generation, aggregate, days, value }: ComputedUpdate): ComputedTuple {
  return [id, generation, AGGREGATES.indexOf(aggregate), days, value];
}

function updateFromTuple([id, generation, aggregate, days, value]: ComputedTuple): ComputedUpdate {
  return { id, generation, aggregate: aggregateOf(aggregate), days, value };
}
