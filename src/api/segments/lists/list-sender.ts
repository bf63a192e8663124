import type { CommandBody } from '../../../../core/vocabulary/commands/commands.ts';
import type { ListPlayers } from '../../../../core/vocabulary/documents/player-lists.ts';
import type { Reply } from '../../../../core/vocabulary/commands/replies.ts';
import { sleep, type Clock } from '../../../../core/kernel/clock.ts';
import { failure, isTemporary } from '../../../../core/kernel/errors.ts';
import { LIST_LOAD_LIMITS } from './limits.ts';
import { SEGMENT_API_LIMITS } from '../limits.ts';
import type { CommandPace } from '../../../../core/kernel/flow/command-pace.ts';
import type { ListedPlayer, ListTally } from './list-port.ts';

/**
 * Sends the players of one partition to its owner, in commands that are repeated until the owner answers: a repeat
 * changes nothing. Each command in flight has a turn of the pace, so `add` waits while the owners are slow.
 */
export interface ListSender {
  add(player: ListedPlayer): Promise<void> | undefined;
  /** Sends what waits, and resolves when every command has ended. */
  flush(): Promise<void>;
}

export interface ListSenderOptions {
  body: Omit<ListPlayers, 'kind' | 'playerIds'>;
  send: (body: CommandBody, playerId: string) => Promise<Reply>;
  tally: ListTally;
  clock: Pick<Clock, 'timer' | 'monotonicMs'>;
  /** Of all lists that the process loads. */
  pace: Pick<CommandPace, 'turn' | 'answered' | 'lost'>;
}

export function createListSender({ body, send, tally, clock, pace }: ListSenderOptions): ListSender {
  const inFlight = new Set<Promise<void>>();
  let filling: ListedPlayer[] = [];

  /** Sends a command until it is decided or the list fails. Begins with a turn of the pace. */
  async function deliver(players: readonly ListedPlayer[]): Promise<void> {
    const playerIds = players.map(({ playerId }) => playerId);
    const beganMs = clock.monotonicMs();
    for (;;) {
      const reply = await sendOnce(playerIds);
      if (reply === undefined) return;
      if (reply.kind === 'listed') return count(players, reply.members, reply.unknown);
      if (reply.kind !== 'failure') throw new Error(`a list was answered with ${reply.kind}`);
      if (!isTemporary(reply.code)) tally.failure ??= reply;
      else if (clock.monotonicMs() - beganMs > LIST_LOAD_LIMITS.listPatienceMs) tally.failure ??= NOT_ANSWERED;
      if (tally.failure !== undefined) return;
      await sleep(clock, LIST_LOAD_LIMITS.listRetryMs);
      await pace.turn();
    }
  }

  /** @returns `undefined`: the list has failed */
  async function sendOnce(playerIds: string[]): Promise<Reply | undefined> {
    if (tally.failure !== undefined) {
      pace.lost();
      return undefined;
    }
    const sentMs = clock.monotonicMs();
    let isAnswered = false;
    try {
      const reply = await send({ kind: 'ListPlayers', ...body, playerIds }, playerIds[0] ?? '');
      isAnswered = reply.kind === 'listed';
      return reply;
    } finally {
      if (isAnswered) pace.answered(clock.monotonicMs() - sentMs);
      else pace.lost();
    }
  }

  function count(players: readonly ListedPlayer[], members: number, unknown: readonly number[]): void {
    tally.members += members;
    tally.unknown += unknown.length;
    for (const place of unknown.slice(0, SEGMENT_API_LIMITS.listUnknownShown - tally.unknownNames.length)) {
      tally.unknownNames.push(players[place]?.text ?? '');
    }
  }

  async function dispatch(): Promise<void> {
    const players = filling;
    filling = [];
    await pace.turn();
    const command = deliver(players).finally(() => inFlight.delete(command));
    inFlight.add(command);
  }

  return {
    add(player) {
      filling.push(player);
      return filling.length < LIST_LOAD_LIMITS.listCommandPlayers ? undefined : dispatch();
    },
    async flush() {
      if (filling.length > 0) await dispatch();
      await Promise.all(inFlight);
    },
  };
}

const NOT_ANSWERED = failure(
  'SERVICE_UNAVAILABLE',
  'The service could not take the whole list. The current list is unchanged. Send yours again later.',
);
