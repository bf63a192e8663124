import type { Command, CommandBody, IdempotencyClaim, TrackEvents, TrackItem } from '../../actors/commands.ts';

/**
 * Layout of a command, version 1: what every event pays for goes by position, without names; rarer bodies stay objects.
 * A later field goes to the end, and reading supplies its default.
 */
export type CommandTuple = [
  requestId: string,
  replyTo: string,
  game: string,
  live: boolean,
  receivedAt: number,
  deadlineAt: number,
  configRevision: number,
  body: TrackTuple | Exclude<CommandBody, TrackEvents>,
];

type TrackTuple = [items: ItemTuple[], idempotency: IdempotencyClaim | null, ledgerId: string | null];
type ItemTuple = [
  index: number,
  playerId: string,
  eventId: string,
  remember: boolean,
  eventName: string,
  properties: string,
  sessionId: string | null,
  timestamp: number,
];

export function commandToTuple(command: Command): CommandTuple {
  const { body } = command;
  return [
    command.requestId,
    command.replyTo,
    command.game,
    command.environment === 'live',
    command.receivedAt,
    command.deadlineAt,
    command.configRevision,
    body.kind === 'TrackEvents' ? trackToTuple(body) : body,
  ];
}

export function commandFromTuple(tuple: CommandTuple): Command {
  const body = tuple[7];
  return {
    requestId: tuple[0],
    replyTo: tuple[1],
    game: tuple[2],
    environment: tuple[3] ? 'live' : 'test',
    receivedAt: tuple[4],
    deadlineAt: tuple[5],
    configRevision: tuple[6],
    body: Array.isArray(body) ? trackFromTuple(body) : body,
  };
}

function trackToTuple({ items, idempotency, ledgerId }: TrackEvents): TrackTuple {
  return [items.map(itemToTuple), idempotency ?? null, ledgerId ?? null];
}

function itemToTuple(item: TrackItem): ItemTuple {
  const { index, playerId, eventId, remember, eventName, properties, sessionId, timestamp } = item;
  return [index, playerId, eventId, remember, eventName, properties, sessionId, timestamp];
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
  return {
    index: tuple[0],
    playerId: tuple[1],
    eventId: tuple[2],
    remember: tuple[3],
    eventName: tuple[4],
    properties: tuple[5],
    sessionId: tuple[6],
    timestamp: tuple[7],
  };
}
