import { LIMITS } from '../../src/kernel/limits.ts';
import type { Command, CommandBody, Query } from '../vocabulary/commands.ts';
import { exposuresOf } from '../flags/evaluate-flags.ts';
import { isNews } from '../flags/expose.ts';
import { servedAnew } from '../flags/serve.ts';
import type { FlagsReply } from '../vocabulary/replies.ts';
import type { PlayerState } from '../vocabulary/state.ts';
import type { Targeting } from '../targeting.ts';
import type { OutgoingReply } from './send-replies.ts';

/**
 * What evaluations leave to remember and is not in FACTS yet: internal commands that join the next commit.
 *
 * Invariants
 * 1. What a player was served is in FACTS before the answer goes out, if it differs from what the state keeps. Mostly it
 *    does not, and the answer goes at once.
 * 2. An exposure that waits here may be lost (a crash, a refused record, a full queue): the next evaluation brings it again.
 * 3. Neither is doubled: it is decided against the player's state.
 * 4. When FACTS refuses a record, the answers go out, and what they served is noted again before any later command is
 *    decided; only a crash before that loses it.
 */
export interface Exposures {
  /**
   * Takes note of an evaluation of a player, and of its answer if that has to wait for the next commit.
   * @returns whether the answer waits
   */
  note(evaluation: Evaluated): boolean;
  /**
   * The next command for the commit being built.
   * @param again whether to bring back what FACTS refused: when there is something to commit anyway
   */
  take(again: boolean): Noted | undefined;
  /** FACTS refused a record with these. */
  refused(noted: readonly Noted[]): void;
}

export interface Evaluated {
  query: Query;
  answer: OutgoingReply & { reply: FlagsReply };
  player: PlayerState;
  targeting: Targeting;
}

export interface Noted {
  command: Command;
  /** Goes out once the command is in FACTS. */
  answer?: OutgoingReply;
}

/** @param nowMs wall time, epoch milliseconds @param onWork there is something to take now */
export function createExposures({ nowMs, onWork }: { nowMs: () => number; onWork: () => void }): Exposures {
  let waiting: Noted[] = [];
  let taken = 0;
  let refused: Noted[] = [];

  function commandOf(query: Query, body: CommandBody): Command {
    const { game, environment, configRevision, requestId, replyTo, deadlineAt } = query;
    return { game, environment, configRevision, requestId, replyTo, deadlineAt, receivedAt: nowMs(), body };
  }

  return {
    note({ query, answer, player, targeting }) {
      const { evaluations } = answer.reply;
      const before = waiting.length;
      const flags = servedAnew(player, evaluations, targeting);
      const hasRoom = () => waiting.length - taken < LIMITS.waitingExposures;
      const waits = flags.length > 0 && hasRoom();
      if (waits)
        waiting.push({ command: commandOf(query, { kind: 'ServeFlags', playerId: player.id, flags }), answer });
      if (exposes(query)) {
        for (const exposure of exposuresOf(player.id, evaluations, targeting)) {
          if (isNews(player, exposure) && hasRoom()) waiting.push({ command: commandOf(query, exposure) });
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
      if (taken === waiting.length || taken === LIMITS.waitingExposures) {
        waiting = waiting.slice(taken);
        taken = 0;
      }
      return next;
    },
    refused(noted) {
      const served = noted.filter(({ command }) => command.body.kind === 'ServeFlags');
      const commands = served.map(({ command }) => ({ command }));
      refused = [...commands, ...refused].slice(-LIMITS.waitingExposures);
    },
  };
}

function exposes({ body }: Query): boolean {
  return body.kind === 'EvaluateFlags' && body.exposes;
}
