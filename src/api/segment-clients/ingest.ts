import { jsonText } from '../../../core/kernel/text/json.ts';
import type { RegisterPlayer, TrackItem } from '../../../core/vocabulary/commands/commands.ts';
import type { Reply } from '../../../core/vocabulary/commands/replies.ts';
import { failure, type Failure } from '../../../core/kernel/errors.ts';
import { SEGMENT_CLIENT_LIMITS } from './limits.ts';
import type { Answer } from '../route/answer.ts';
import { validatedEvent } from '../events/validated-event.ts';
import { refusedEvent } from '../players/purchases/client-purchases.ts';
import { settableAttributes } from '../players/client-attributes.ts';
import { refusedPlayer } from '../players/named-player.ts';
import { playerIdOf } from '../players/player-id.ts';
import type { RequestContext } from '../route/request-context.ts';
import { createTurns } from '../route/turns.ts';
import { createPlan, type Step, type Tracking } from './ingest-plan.ts';
import { type Link, mayMerge, mergeLinked } from './merge-linked.ts';
import { type Message, type MessageType, readMessage } from './segment-message.ts';
import { readTime } from './segment-time.ts';
import { trackedBefore } from './tracked-before.ts';

/*
 * Takes messages of Segment's protocol: each becomes a registration or an event of its player.
 *
 * Invariants
 * 1. Messages of one player are decided in their order in the batch, also if a part fails and the sender repeats it:
 *    after a failure nothing is decided beyond its round.
 * 2. The answer is a success only if every message is durable, was durable before, is in quarantine, or can never be.
 * 3. A repeat changes nothing: events repeat their ids, and registrations change nothing the second time.
 */

export const STORED: Answer = { kind: 'text', contentType: 'application/json', body: '{"success":true}' };

/** @param type the type that the endpoint names */
export async function ingest(
  messages: readonly unknown[],
  type: MessageType | undefined,
  sentAt: unknown,
  context: RequestContext,
): Promise<Answer> {
  const { services, key, origin } = context;
  const batch = { sentAt: readTime(sentAt), receivedAt: origin.receivedAt };
  const plan = createPlan((playerId) => services.backend.partitionOf(playerId));
  const turns = createTurns(services.clock);
  const named = new Set<string>();
  const links: Link[] = [];
  for (const value of messages) {
    const pause = turns.pause();
    if (pause !== undefined) await pause;
    const read = readMessage(value, type, batch);
    const message = read.previousUser === undefined ? read : await withKnownPrevious(read, named, context);
    if ('code' in message) return message;
    named.add(message.externalId);
    const { before, externalId } = message;
    if (before !== undefined && message.faults.length === 0 && mayMerge(context)) {
      links.push({ before, externalId });
    }
    const playerId = playerIdOf(key, message.externalId);
    if (message.type === 'identify' && message.faults.length === 0) {
      if (isRefused(message, playerId, context)) continue;
      const command = registration(message, playerId, context);
      plan.identify({ command, type: message.type, otherwise: quarantined(message, playerId, context) });
      const link = readLink(message, playerId, context);
      const item = link instanceof Promise ? await link : link;
      if (item !== undefined) plan.track({ item, type: undefined }, command);
    } else {
      const event = readItem(message, playerId, context);
      const item = event instanceof Promise ? await event : event;
      const earlier = message.earlier === undefined ? undefined : playerIdOf(key, message.earlier);
      const tracking = { item, type: message.type, earlier };
      if (item !== undefined) plan.track({ ...tracking, item }, presence(message, playerId, context));
    }
  }
  const outcomes = await Promise.all(plan.partitions().map((steps) => run(steps, context)));
  return outcomes.find((failed) => failed !== undefined) ?? (await mergeLinked(links, context)) ?? STORED;
}

/**
 * An alias whose previous id is a player's own: a server key merges that player; for client keys it is a fault,
 * because only the ids of anonymous players can be tied.
 * @param named the players of earlier messages of the batch, who may not be registered yet
 */
async function withKnownPrevious(
  message: Message,
  named: ReadonlySet<string>,
  { services, origin, key }: RequestContext,
): Promise<Message | Failure> {
  const { previousUser = '' } = message;
  const playerId = playerIdOf(key, previousUser);
  const reply = named.has(previousUser)
    ? undefined
    : await services.backend.query(origin, playerId, { kind: 'GetPlayer', playerId });
  if (reply?.kind === 'failure') return reply.code === 'PLAYER_NOT_FOUND' ? message : reply;
  if (key.kind === 'server') return { ...message, before: previousUser };
  return { ...message, before: undefined, named: [previousUser], faults: [...message.faults, KNOWN_PREVIOUS] };
}

const KNOWN_PREVIOUS = {
  path: '/previousId',
  message: 'is the id of a registered player; an alias ties only an `anonymousId`',
};

/** The event of a message; undefined if the caller may not send it, which no repeat changes. */
function readItem(
  message: Message,
  playerId: string,
  context: RequestContext,
): TrackItem | undefined | Promise<TrackItem | undefined> {
  if (message.faults.length > 0) {
    return isRefused(message, playerId, context) ? undefined : quarantined(message, playerId, context);
  }
  const validated = validatedEvent(itemOf(message, playerId, context), message.content.document, context);
  const conclude = (read: Awaited<typeof validated>): TrackItem | undefined => {
    if ('kind' in read) return refuse(message, context);
    return read.item;
  };
  return validated instanceof Promise ? validated.then(conclude) : conclude(validated);
}

/**
 * The event of an identify that names an anonymous id: the tie between the two players for analysts. It is an event
 * rather than a field of either player, because it must not be lost when the identify arrives before the anonymous
 * player's first event, and because a player has several devices.
 */
function readLink(
  message: Message,
  playerId: string,
  context: RequestContext,
): TrackItem | undefined | Promise<TrackItem | undefined> {
  if (message.before === undefined) return undefined;
  const properties = { anonymous_external_id: message.before };
  const item = { ...itemOf(message, playerId, context), properties: JSON.stringify(properties) };
  const validated = validatedEvent(item, properties, context);
  const conclude = (read: Awaited<typeof validated>) => ('kind' in read ? undefined : read.item);
  return validated instanceof Promise ? validated.then(conclude) : conclude(validated);
}

function isRefused(message: Message, playerId: string, context: RequestContext): boolean {
  const refused = refusedPlayer({ playerId }, context.player) ?? refusedEvent(message.eventName, context);
  if (refused === undefined) return false;
  refuse(message, context);
  return true;
}

function refuse({ type }: Message, { services }: RequestContext): undefined {
  services.metrics.segmentMessages.inc({ type, outcome: 'refused' });
}

function itemOf(message: Message, playerId: string, { services, origin }: RequestContext): TrackItem {
  const { eventId, eventName, content, sessionId, timestamp, playedWith } = message;
  return {
    index: 0,
    playerId,
    eventId: eventId ?? services.ids.uuidv7(origin.receivedAt),
    remember: eventId !== undefined,
    eventName,
    properties: content.text,
    sessionId,
    timestamp,
    ...(playedWith === undefined ? {} : { playedWith }),
  };
}

/** An event that goes to quarantine because of its message's faults: no version of a schema. */
function quarantined(message: Message, playerId: string, context: RequestContext): TrackItem {
  const faults = message.faults.length > 0 ? [...message.faults] : [TRAITS_TOO_LARGE];
  const ids = new Set(message.named.map((name) => playerIdOf(context.key, name)));
  ids.delete(playerId);
  const named = ids.size === 0 ? {} : { named: [...ids] };
  return { ...itemOf(message, playerId, context), quarantine: { schemaVersion: 0, faults, ...named } };
}

const TRAITS_TOO_LARGE = { path: '/traits', message: "makes the player's attributes too large" };

function registration(message: Message, playerId: string, context: RequestContext): RegisterPlayer {
  const { content, email } = message;
  const attributes = settableAttributes(content.document, 'traits', context);
  return {
    ...presence(message, playerId, context),
    createOnly: false,
    ...(email === undefined ? {} : { email }),
    attributes: attributes === content.document ? content.text : jsonText(attributes),
  };
}

/** Registers a player that does not exist yet. */
function presence(
  { externalId, deviceId }: Message,
  playerId: string,
  { key, player }: RequestContext,
): RegisterPlayer {
  return {
    kind: 'RegisterPlayer',
    playerId,
    externalId,
    ...(deviceId === undefined ? {} : { deviceId }),
    createOnly: true,
    byClientKey: key.kind === 'client',
    ...(player === undefined ? {} : { isOwn: true as const }),
  };
}

/**
 * Sends the steps of one partition in order. Ends at the first round that fails, so that a repeat keeps the order. Each
 * round may have twice as many steps as the last: a service that accepts nothing gets one step, and a player whose
 * identifies and events alternate takes few rounds, each of which waits for the log.
 */
async function run(steps: readonly Step[], context: RequestContext): Promise<Failure | undefined> {
  let from = 0;
  for (let most = 1; from < steps.length; most *= 2) {
    const round = roundOf(steps.slice(from, from + most));
    from += round.length;
    const known: ReadonlySet<Tracking>[] = [];
    for (const answer of await Promise.all(round.map(({ events }) => trackedBefore(events, context)))) {
      if ('code' in answer) return answer;
      known.push(answer);
    }
    const sent = await Promise.all(round.map((step, index) => send(step, known[index] ?? NONE, context)));
    const failed = sent.find((outcome) => outcome !== undefined);
    if (failed !== undefined) return failed;
  }
  return undefined;
}

/** The first steps that together have no more commands and events than one step may have; at least one step. */
function roundOf(steps: readonly Step[]): readonly Step[] {
  let items = 0;
  const end = steps.findIndex(({ players, events }, index) => {
    items += players.length + events.length;
    return index > 0 && items > SEGMENT_CLIENT_LIMITS.segmentCommandEvents;
  });
  return end === -1 ? steps : steps.slice(0, end);
}

const NONE: ReadonlySet<Tracking> = new Set();

/**
 * Sends the commands of a step before its first wait. Commands of one partition are decided in the order of their
 * sending, so none waits for another.
 * @param known the events that need not be sent
 */
async function send(
  { players, events: all }: Step,
  known: ReadonlySet<Tracking>,
  context: RequestContext,
): Promise<Failure | undefined> {
  const { services, origin } = context;
  const events = known.size === 0 ? all : all.filter((event) => !known.has(event));
  const registering = players.map(({ command }) => services.backend.send(origin, command.playerId, command));
  const items = events.map(({ item }, index) => ({ ...item, index }));
  const [first] = items;
  const tracking =
    first === undefined ? undefined : services.backend.send(origin, first.playerId, { kind: 'TrackEvents', items });
  const registered = await Promise.all(registering);
  const tracked = await tracking;
  const failed = [...registered, tracked].find((reply) => isTemporary(reply));
  if (failed?.kind === 'failure') return failed;
  const outcome = tracked === undefined ? undefined : countTracked(events, tracked, services);
  if (outcome !== undefined) return outcome;
  const tooLarge: Tracking[] = [];
  for (const [index, { type, otherwise }] of players.entries()) {
    if (otherwise === undefined) continue;
    if (registered[index]?.kind === 'failure') tooLarge.push({ item: otherwise, type });
    else services.metrics.segmentMessages.inc({ type, outcome: 'accepted' });
  }
  return tooLarge.length === 0 ? undefined : send({ players: [], events: tooLarge }, NONE, context);
}

/** Failures other than these are the message's own: its player exists, or its traits make the attributes too large. */
function isTemporary(reply: Reply | undefined): boolean {
  return reply?.kind === 'failure' && reply.code !== 'DUPLICATE_PLAYER' && reply.code !== 'VALIDATION_ERROR';
}

/** Counts the results of events. Fails if a player was erased meanwhile: the repeat registers it again. */
function countTracked(
  events: readonly Tracking[],
  reply: Reply,
  { metrics }: Pick<RequestContext['services'], 'metrics'>,
): Failure | undefined {
  if (reply.kind !== 'tracked') throw new Error(`events were answered with ${reply.kind}`);
  for (const { index, status } of reply.results) {
    if (status === 'rejected') return failure('SERVICE_UNAVAILABLE', 'A player was erased meanwhile; send it again.');
    const type = events[index]?.type;
    if (type !== undefined) metrics.segmentMessages.inc({ type, outcome: status });
  }
  return undefined;
}
