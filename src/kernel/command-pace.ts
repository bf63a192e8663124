import type { Clock } from './clock.ts';
import { LIMITS } from './limits.ts';

/**
 * How many commands of work in bulk (an import, lists of players) are in flight, over all partitions: live traffic
 * waits behind each of them.
 *
 * Invariants
 * 1. Fast replies widen the window and slow ones narrow it, to one command. If that is slow too, the work rests, so
 *    that a slow service, or one on a busy machine, has time for others.
 * 2. Callers get their turns in the order in which they asked.
 */
export interface CommandPace {
  /** Resolves when one more command may be sent. */
  turn(): Promise<void>;
  /** Takes a turn if there is one at once. */
  tryTurn(): boolean;
  /** A command was answered after this time. */
  answered(tookMs: number): void;
  /** A command has ended without an answer. */
  lost(): void;
}

export interface PaceOptions {
  clock: Pick<Clock, 'timer'>;
  mostInFlight: number;
}

export function createCommandPace({ clock, mostInFlight }: PaceOptions): CommandPace {
  let window = 1;
  let inFlight = 0;
  let isResting = false;
  const waiting: (() => void)[] = [];

  const isFree = (): boolean => !isResting && inFlight < Math.floor(window);

  function grant(): void {
    while (isFree()) {
      const next = waiting.shift();
      if (next === undefined) return;
      inFlight += 1;
      next();
    }
  }

  function rest(durationMs: number): void {
    isResting = true;
    clock.timer(durationMs, () => {
      isResting = false;
      grant();
    });
  }

  return {
    turn() {
      return new Promise((resolve) => {
        waiting.push(resolve);
        grant();
      });
    },
    tryTurn() {
      if (waiting.length > 0 || !isFree()) return false;
      inFlight += 1;
      return true;
    },
    answered(tookMs) {
      inFlight -= 1;
      const excessMs = tookMs - LIMITS.bulkSlowMs;
      if (excessMs <= 0) window = Math.min(window + 1 / window, mostInFlight);
      else if (window >= 2) window /= 2;
      else if (!isResting) rest(Math.min(2 * excessMs, LIMITS.bulkRestMs));
      grant();
    },
    lost() {
      inFlight -= 1;
      window = 1;
      grant();
    },
  };
}
