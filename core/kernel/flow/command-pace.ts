import type { Clock } from '../clock.ts';
import { FLOW_LIMITS } from './limits.ts';

/**
 * How many commands of work in bulk (an import, lists of players) are in flight, over all partitions: live traffic
 * waits behind each of them.
 *
 * Invariants
 * 1. Fast replies widen the window and slow ones narrow it, to `leastInFlight`. If replies stay slow, the work rests
 *    up to `mostRestMs`, so that a slow service, or one on a busy machine, has time for others.
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
  /** Work that must end in time has more than one, and no rest. */
  leastInFlight?: number;
  mostRestMs?: number;
}

export function createCommandPace(options: PaceOptions): CommandPace {
  const { clock, mostInFlight, leastInFlight = 1, mostRestMs = FLOW_LIMITS.bulkRestMs } = options;
  let window = leastInFlight;
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
      const excessMs = tookMs - FLOW_LIMITS.bulkSlowMs;
      if (excessMs <= 0) window = Math.min(window + 1 / window, mostInFlight);
      else if (Math.floor(window) > leastInFlight) window = Math.max(leastInFlight, window / 2);
      else if (!isResting && mostRestMs > 0) rest(Math.min(2 * excessMs, mostRestMs));
      grant();
    },
    lost() {
      inFlight -= 1;
      window = leastInFlight;
      grant();
    },
  };
}
