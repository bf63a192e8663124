import type { Clock } from '../../../src/kernel/clock.ts';

/** Wakes one loop. A call while nobody waits is kept; many count as one. */
export interface Wake {
  notify: () => void;
  /** Resolves at the next notification, at once if one was kept, or after `timeoutMs`. One waiter at a time. */
  wait(clock: Clock, timeoutMs: number): Promise<void>;
}

export function createWake(): Wake {
  let kept = false;
  let resume: (() => void) | undefined;
  return {
    notify() {
      if (resume === undefined) kept = true;
      else resume();
    },
    wait(clock, timeoutMs) {
      if (kept) {
        kept = false;
        return Promise.resolve();
      }
      return new Promise((resolve) => {
        const cancel = clock.timer(timeoutMs, () => resume?.());
        resume = () => {
          resume = undefined;
          cancel();
          resolve();
        };
      });
    },
  };
}
