import type { Command, CommandBody, QueryBody } from '../../core/vocabulary/commands/commands.ts';
import type { Reply } from '../../core/vocabulary/commands/replies.ts';
import type { Origin } from '../../src/api/route/backend.ts';
import type { World } from './world.ts';
import { isQuery } from './clients/operation.ts';

/** One command or query as a client sent it, and the reply that the client received. Times are ticks of the world. */
export interface Attempt {
  id: number;
  gateway: string;
  partition: number;
  /** Gets its time of receipt when it reaches the gateway. */
  origin: Origin;
  body: CommandBody | QueryBody;
  /** The definitions' revision at its gateway when it arrived. */
  configRevision: number;
  invokedTick: number;
  invokedMs: number;
  /** `lost`: the connection broke, or the client gave up. */
  outcome: { reply: Reply | 'lost'; tick: number; ms: number } | undefined;
  /** The command that the gateway published for it. */
  command: Command | undefined;
}

/** What clients sent and received in one run. */
export interface History {
  readonly attempts: readonly Attempt[];
  begin(attempt: Pick<Attempt, 'gateway' | 'partition' | 'origin' | 'body'>): Attempt;
  /** Records that it has reached its gateway. */
  received(attempt: Attempt, receivedAt: number, configRevision: number): void;
  end(attempt: Attempt, reply: Reply | 'lost'): void;
  /** Commands on their way to REQUESTS, in the order in which the gateway received them. */
  sent(commands: readonly Command[]): void;
  /** The attempt that a command belongs to. */
  attemptOf(command: Command): Attempt | undefined;
}

export const commandKey = (command: Pick<Command, 'replyTo' | 'requestId'>): string =>
  `${command.replyTo}/${command.requestId}`;

export function createHistory(world: World): History {
  const attempts: Attempt[] = [];
  const byCommand = new Map<string, Attempt>();
  /** Commands that have not left their gateway, by gateway and partition. */
  const unsent = new Map<string, Attempt[]>();

  return {
    attempts,
    begin(given) {
      const attempt: Attempt = {
        ...given,
        id: attempts.length + 1,
        configRevision: 0,
        invokedTick: world.tick(),
        invokedMs: world.clock.monotonicMs(),
        outcome: undefined,
        command: undefined,
      };
      attempts.push(attempt);
      world.note(attempt.id, () => `> #${attempt.id} ${attempt.gateway} p${attempt.partition} ${show(attempt.body)}`);
      return attempt;
    },
    received(attempt, receivedAt, configRevision) {
      attempt.origin = { ...attempt.origin, receivedAt };
      attempt.configRevision = configRevision;
      if (isQuery(attempt.body)) return;
      const queue = unsent.get(attempt.gateway) ?? [];
      queue.push(attempt);
      unsent.set(attempt.gateway, queue);
    },
    end(attempt, reply) {
      if (attempt.outcome !== undefined) return;
      attempt.outcome = { reply, tick: world.tick(), ms: world.clock.monotonicMs() };
      const kind = reply === 'lost' ? 'lost' : reply.kind === 'failure' ? reply.code : reply.kind;
      world.cover(`reply ${kind}`);
      world.note(kind.length * 1_000 + attempt.id, () => `< #${attempt.id} ${show(reply)}`);
    },
    sent(commands) {
      for (const command of commands) {
        if (byCommand.has(commandKey(command))) continue;
        const queue = unsent.get(command.replyTo) ?? [];
        const text = JSON.stringify(command.body);
        const at = queue.findIndex(
          ({ origin, body }) =>
            origin.receivedAt === command.receivedAt && origin.by === command.by && JSON.stringify(body) === text,
        );
        const attempt = queue[at];
        if (attempt === undefined) {
          world.violate('simulation', `a command that no client sent: ${text}`);
          continue;
        }
        queue.splice(at, 1);
        attempt.command = command;
        byCommand.set(commandKey(command), attempt);
      }
    },
    attemptOf: (command) => byCommand.get(commandKey(command)),
  };
}

function show(value: unknown): string {
  return JSON.stringify(value).slice(0, 400);
}
