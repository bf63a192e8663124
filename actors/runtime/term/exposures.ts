import type { Adjustable } from '../../../core/kernel/adjustable.ts';
import { OWNER_LIMITS } from '../limits.ts';
import { PLAYER_LIMITS } from '../../decision/limits.ts';
import type { Command, CommandBody, Query } from '../../../core/vocabulary/commands/commands.ts';
import { exposuresOf } from '../../flags/evaluate/evaluate-flags.ts';
import { isNewExposure } from '../../flags/exposure/expose.ts';
import { servedAnew } from '../../flags/evaluate/serve.ts';
import type { FlagsReply } from '../../../core/vocabulary/commands/replies.ts';
import type { PlayerState } from '../../../core/vocabulary/state/state.ts';
import type { Targeting } from '../../decision/targeting.ts';
import type { OutgoingReply } from './send-replies.ts';

/**
 * Served variants and exposures of evaluations that are not in FACTS yet: internal commands that join the next commit.
 *
 * Invariants
 * 1. A served variant that differs from the state's is in FACTS before the reply is sent. Most do not differ, and the
 *    reply is sent at once.
 * 2. A waiting exposure may be lost (a crash, a refused record, a full queue); the next evaluation adds it again.
 * 3. Neither is recorded twice: each is decided against the player's state.
 * 4. When FACTS refuses a record, its replies are sent, and their served variants are decided again before any later
 *    command. Only a crash before that loses them.
 */
export interface Exposures {
  /**
   * Adds the commands of an evaluation, with its reply if that has to wait for the next commit.
   * @returns whether the answer waits
   */
  note(evaluation: Evaluated): boolean;
  /**
   * The next command for the commit being built.
   * @param again whether to repeat commands that FACTS refused: only if there is something else to commit
   */
  take(again: boolean): Noted | undefined;
  /** FACTS refused a record that held these. */
  refused(noted: readonly Noted[]): void;
  /** FACTS has no room: takes every waiting command, as if refused, and returns the answers that waited for them. */
  withhold(): OutgoingReply[];
}

export interface Evaluated {
  query: Query;
  answer: OutgoingReply & { reply: FlagsReply };
  player: PlayerState;
  targeting: Targeting;
}

export interface Noted {
  command: Command;
  /** Sent once the command is in FACTS. */
  answer?: OutgoingReply;
}

interface ExposuresOptions {
  /** Wall time, epoch milliseconds. */
  nowMs: () => number;
  /** Called when there is a command to take. */
  onWork: () => void;
  limits?: Adjustable<typeof PLAYER_LIMITS, 'servedChanges'> | undefined;
}

export function createExposures({ nowMs, onWork, limits = PLAYER_LIMITS }: ExposuresOptions): Exposures {
  let waiting: Noted[] = [];
  let taken = 0;
  let refused: Noted[] = [];

  function commandOf(query: Query, body: CommandBody): Command {
    const { game, environment, configRevision, requestId, replyTo, deadlineAt } = query;
    return { game, environment, configRevision, requestId, replyTo, deadlineAt, receivedAt: nowMs(), body };
  }

  function refuse(noted: readonly Noted[]): void {
    const served = noted.filter(({ command }) => command.body.kind === 'ServeFlags');
    const commands = served.map(({ command }) => ({ command }));
    refused = [...commands, ...refused].slice(-OWNER_LIMITS.waitingExposures);
  }

  return {
    note({ query, answer, player, targeting }) {
      const { evaluations } = answer.reply;
      const before = waiting.length;
      const flags = servedAnew(player, evaluations, targeting, limits);
      const hasCapacity = () => waiting.length - taken < OWNER_LIMITS.waitingExposures;
      const waits = flags.length > 0 && hasCapacity();
      if (waits)
        waiting.push({ command: commandOf(query, { kind: 'ServeFlags', playerId: player.id, flags }), answer });
      if (exposes(query)) {
        for (const exposure of exposuresOf(player.id, evaluations, targeting)) {
          if (isNewExposure(player, exposure) && hasCapacity()) waiting.push({ command: commandOf(query, exposure) });
        }
      }
      if (waiting.length > before) onWork();
      return waits;
    },
    take(again) {
      const earlier = again ? refused.shift() : undefined;
      if (earlier !== undefined) return earlier;
      const next = waiting[taken];
      if (next === undefined) return undefined;
      taken += 1;
      if (taken === waiting.length || taken === OWNER_LIMITS.waitingExposures) {
        waiting = waiting.slice(taken);
        taken = 0;
      }
      return next;
    },
    refused: refuse,
    withhold() {
      const noted = waiting.slice(taken);
      waiting = [];
      taken = 0;
      refuse(noted);
      return noted.flatMap(({ answer }) => answer ?? []);
    },
  };
}

function exposes({ body }: Query): boolean {
  return body.kind === 'EvaluateFlags' && body.exposes;
}
