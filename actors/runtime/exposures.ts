import { LIMITS } from '../../src/kernel/limits.ts';
import type { Command, ExposeFlag, Query } from '../commands.ts';
import { exposuresOf } from '../flags/evaluate-flags.ts';
import { isNews } from '../flags/expose.ts';
import type { FlagsReply } from '../replies.ts';
import type { PlayerState } from '../state.ts';
import type { Targeting } from '../targeting.ts';

/**
 * What players saw of flags and is not in FACTS yet: internal commands that join the next commit.
 *
 * Invariants
 * 1. What waits here may be lost (a crash, a refused record, a full queue): the next evaluation brings it again.
 * 2. It is never doubled: what was seen before is decided against the player's state.
 */
export interface Exposures {
  /** Takes note of an evaluation that was answered to this player. */
  note(query: Query, reply: FlagsReply, player: PlayerState, targeting: Targeting): void;
  /** The next command for the commit being built. */
  take(): Command | undefined;
}

/** @param nowMs wall time, epoch milliseconds @param onWork there is something to take now */
export function createExposures({ nowMs, onWork }: { nowMs: () => number; onWork: () => void }): Exposures {
  let waiting: Command[] = [];
  let taken = 0;

  function add(query: Query, body: ExposeFlag): void {
    if (waiting.length - taken >= LIMITS.waitingExposures) return;
    const { game, environment, configRevision, requestId, replyTo, deadlineAt } = query;
    const envelope = { game, environment, configRevision, requestId, replyTo, deadlineAt };
    waiting.push({ ...envelope, receivedAt: nowMs(), body });
  }

  return {
    note(query, { evaluations }, player, targeting) {
      const before = waiting.length;
      for (const exposure of exposuresOf(player.id, evaluations, targeting)) {
        if (isNews(player, exposure)) add(query, exposure);
      }
      if (waiting.length > before) onWork();
    },
    take() {
      const command = waiting[taken];
      if (command === undefined) return undefined;
      taken += 1;
      if (taken === waiting.length || taken === LIMITS.waitingExposures) {
        waiting = waiting.slice(taken);
        taken = 0;
      }
      return command;
    },
  };
}
