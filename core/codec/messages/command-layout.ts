import type {
  Command,
  CommandBody,
  EndSession,
  QuarantineReason,
  ReceivedCommand,
  Release,
  SyncSession,
  TrackEvents,
  TrackItem,
  UnreadableCommand,
} from '../../vocabulary/commands/commands.ts';
import type { IdempotencyClaim } from '../../vocabulary/commands/idempotency-claim.ts';
import type { PlayedWith } from '../../vocabulary/state/device.ts';
import { isKnownCommand } from '../../vocabulary/formats.ts';
import { importFromWire } from './import-layout.ts';
import { ownGuest } from './own-guest.ts';

/**
 * Layout of a command. Fields of every event are positional, without names; rare bodies stay objects. The first seven
 * fields stay as they are in every version, so that an owner can answer a command that it does not know.
 */
export type CommandTuple = [
  requestId: string,
  replyTo: string,
  game: string,
  live: boolean,
  receivedAt: number,
  deadlineAt: number,
  configRevision: number,
  body: TrackTuple | SyncTuple | EndTuple | Exclude<CommandBody, TrackEvents | SyncSession | EndSession>,
  // Absent in commands of the owner itself.
  byClient?: boolean,
];

type TrackTuple = [items: ItemTuple[], idempotency: IdempotencyClaim | null, ledgerId: string | null];
/** All events have the player and the session of their command. */
type SyncTuple = [
  kind: 'sync',
  playerId: string,
  sessionId: string,
  events: SessionItemTuple[],
  stateUpdates: string | null,
  idempotency: IdempotencyClaim | null,
];
type EndTuple = [
  kind: 'end',
  playerId: string,
  sessionId: string,
  events: SessionItemTuple[],
  durationSeconds: number,
  idempotency: IdempotencyClaim | null,
];
type SessionItemTuple = [
  index: number,
  eventId: string,
  remember: boolean,
  eventName: string,
  properties: string,
  timestamp: number,
  quarantine?: QuarantineTuple | null,
  schemaFault?: string,
];
type ItemTuple = [
  index: number,
  playerId: string,
  eventId: string,
  remember: boolean,
  eventName: string,
  properties: string,
  sessionId: string | null,
  timestamp: number,
  // Omitted when all are absent, as in almost every event.
  quarantine?: QuarantineTuple | null,
  release?: ReleaseTuple | null,
  schemaFault?: string | null,
  playedWith?: PlayedWithTuple,
];
type PlayedWithTuple = [platform: string | null, appVersion: string | null, build: string | null];
type ReleaseTuple = [number: number, quarantinedAt: number, byClient?: boolean | null, guestId?: string];
type QuarantineTuple = [schemaVersion: number, faults: [path: string, message: string][], named?: string[]];

export function commandToTuple(command: Command): CommandTuple {
  const { body, by } = command;
  const tuple: CommandTuple = [
    command.requestId,
    command.replyTo,
    command.game,
    command.environment === 'live',
    command.receivedAt,
    command.deadlineAt,
    command.configRevision,
    bodyToWire(body),
  ];
  if (by !== undefined) tuple.push(by === 'client');
  return tuple;
}

export function commandFromTuple(tuple: CommandTuple): Command {
  const command: Command = {
    requestId: tuple[0],
    replyTo: tuple[1],
    game: tuple[2],
    environment: tuple[3] ? 'live' : 'test',
    receivedAt: tuple[4],
    deadlineAt: tuple[5],
    configRevision: tuple[6],
    body: bodyFromWire(tuple[7]),
  };
  const byClient = tuple[8];
  if (byClient !== undefined) command.by = byClient ? 'client' : 'server';
  return command;
}

/** A command, or what can be read of one that this program does not know. */
export function receivedFromTuple(tuple: CommandTuple): ReceivedCommand {
  try {
    const command = commandFromTuple(tuple);
    const { kind } = command.body;
    return isKnownCommand(kind) ? command : unreadable(tuple, `a command of the kind ${kind}`);
  } catch (error) {
    return unreadable(
      tuple,
      `a command with another layout (${error instanceof Error ? error.message : String(error)})`,
    );
  }
}

/** A command of whose message nothing can be read. */
export function unreadableMessage(reason: string): UnreadableCommand {
  return { requestId: '', replyTo: '', deadlineAt: 0, configRevision: 0, body: undefined, reason };
}

function unreadable(tuple: unknown, reason: string): UnreadableCommand {
  const [requestId, replyTo, , , , deadlineAt, configRevision]: unknown[] = Array.isArray(tuple) ? tuple : [];
  if (typeof requestId !== 'string' || typeof replyTo !== 'string') return unreadableMessage(reason);
  if (typeof deadlineAt !== 'number' || typeof configRevision !== 'number') return unreadableMessage(reason);
  return { requestId, replyTo, deadlineAt, configRevision, body: undefined, reason };
}

function bodyToWire(body: CommandBody): CommandTuple[7] {
  if (body.kind === 'TrackEvents') return trackToTuple(body);
  if (body.kind === 'SyncSession') return syncToTuple(body);
  return body.kind === 'EndSession' ? endToTuple(body) : body;
}

function bodyFromWire(body: CommandTuple[7]): CommandBody {
  if (!Array.isArray(body)) return body.kind === 'ImportHistory' ? importFromWire(body) : ownGuest(body);
  if (body[0] === 'sync') return syncFromTuple(body);
  if (body[0] === 'end') return endFromTuple(body);
  return trackFromTuple(body);
}

function syncToTuple({ playerId, sessionId, events, stateUpdates, idempotency }: SyncSession): SyncTuple {
  return ['sync', playerId, sessionId, events.map(sessionItemToTuple), stateUpdates, idempotency ?? null];
}

function syncFromTuple([, playerId, sessionId, events, stateUpdates, idempotency]: SyncTuple): SyncSession {
  return {
    kind: 'SyncSession',
    playerId,
    sessionId,
    events: events.map((item) => sessionItemFromTuple(item, playerId, sessionId)),
    stateUpdates,
    ...(idempotency === null ? {} : { idempotency }),
  };
}

function endToTuple({ playerId, sessionId, events, durationSeconds, idempotency }: EndSession): EndTuple {
  return ['end', playerId, sessionId, events.map(sessionItemToTuple), durationSeconds, idempotency ?? null];
}

function endFromTuple([, playerId, sessionId, events, durationSeconds, idempotency]: EndTuple): EndSession {
  return {
    kind: 'EndSession',
    playerId,
    sessionId,
    durationSeconds,
    events: events.map((item) => sessionItemFromTuple(item, playerId, sessionId)),
    ...(idempotency === null ? {} : { idempotency }),
  };
}

function sessionItemToTuple({
  index,
  eventId,
  remember,
  eventName,
  properties,
  timestamp,
  quarantine,
  schemaFault,
}: TrackItem): SessionItemTuple {
  const tuple: SessionItemTuple = [index, eventId, remember, eventName, properties, timestamp];
  if (quarantine !== undefined) tuple.push(quarantineToTuple(quarantine));
  else if (schemaFault !== undefined) tuple.push(null, schemaFault);
  return tuple;
}

function sessionItemFromTuple(
  [index, eventId, remember, eventName, properties, timestamp, quarantine, schemaFault]: SessionItemTuple,
  playerId: string,
  sessionId: string,
): TrackItem {
  const item: TrackItem = { index, playerId, eventId, remember, eventName, properties, sessionId, timestamp };
  if (quarantine !== undefined && quarantine !== null) item.quarantine = quarantineFromTuple(quarantine);
  if (schemaFault !== undefined) item.schemaFault = schemaFault;
  return item;
}

function trackToTuple({ items, idempotency, ledgerId }: TrackEvents): TrackTuple {
  return [items.map(itemToTuple), idempotency ?? null, ledgerId ?? null];
}

function itemToTuple(item: TrackItem): ItemTuple {
  const { index, playerId, eventId, remember, eventName, properties, sessionId, timestamp } = item;
  const { quarantine, release, schemaFault, playedWith } = item;
  const tuple: ItemTuple = [index, playerId, eventId, remember, eventName, properties, sessionId, timestamp];
  if (quarantine !== undefined) tuple.push(quarantineToTuple(quarantine));
  else if (release !== undefined) tuple.push(null, releaseToTuple(release));
  if (schemaFault !== undefined || playedWith !== undefined) {
    while (tuple.length < 10) tuple.push(null);
    tuple.push(schemaFault ?? null);
  }
  if (playedWith !== undefined) tuple.push(playedWithToTuple(playedWith));
  return tuple;
}

function trackFromTuple([items, idempotency, ledgerId]: TrackTuple): TrackEvents {
  return {
    kind: 'TrackEvents',
    items: items.map(itemFromTuple),
    ...(idempotency === null ? {} : { idempotency }),
    ...(ledgerId === null ? {} : { ledgerId }),
  };
}

function itemFromTuple(tuple: ItemTuple): TrackItem {
  const item: TrackItem = {
    index: tuple[0],
    playerId: tuple[1],
    eventId: tuple[2],
    remember: tuple[3],
    eventName: tuple[4],
    properties: tuple[5],
    sessionId: tuple[6],
    timestamp: tuple[7],
  };
  const quarantine = tuple[8];
  if (quarantine !== undefined && quarantine !== null) item.quarantine = quarantineFromTuple(quarantine);
  const release = tuple[9];
  if (release !== undefined && release !== null) item.release = releaseFromTuple(release);
  const [schemaFault, playedWith] = [tuple[10] ?? null, tuple[11]];
  if (schemaFault !== null) item.schemaFault = schemaFault;
  if (playedWith !== undefined) item.playedWith = playedWithFromTuple(playedWith);
  return item;
}

function playedWithToTuple({ platform, appVersion, build }: PlayedWith): PlayedWithTuple {
  return [platform ?? null, appVersion ?? null, build ?? null];
}

function playedWithFromTuple([platform, appVersion, build]: PlayedWithTuple): PlayedWith {
  return {
    ...(platform === null ? {} : { platform }),
    ...(appVersion === null ? {} : { appVersion }),
    ...(build === null ? {} : { build }),
  };
}

function quarantineToTuple({ schemaVersion, faults, named }: QuarantineReason): QuarantineTuple {
  const tuple: QuarantineTuple = [schemaVersion, faults.map(({ path, message }) => [path, message])];
  if (named !== undefined) tuple.push(named);
  return tuple;
}

function quarantineFromTuple([schemaVersion, faults, named]: QuarantineTuple): QuarantineReason {
  const reason = { schemaVersion, faults: faults.map(([path, message]) => ({ path, message })) };
  return named === undefined ? reason : { ...reason, named };
}

function releaseToTuple({ number, quarantinedAt, by, guestId }: Release): ReleaseTuple {
  const byClient = by === undefined ? null : by === 'client';
  if (guestId !== undefined) return [number, quarantinedAt, byClient, guestId];
  return byClient === null ? [number, quarantinedAt] : [number, quarantinedAt, byClient];
}

function releaseFromTuple([number, quarantinedAt, byClient = null, guestId]: ReleaseTuple): Release {
  return {
    number,
    quarantinedAt,
    ...(byClient === null ? {} : { by: byClient ? 'client' : 'server' }),
    ...(guestId === undefined ? {} : { guestId }),
  };
}
