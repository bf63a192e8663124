import type { Clock } from '../clock.ts';

/** Wakes one loop. Notifications without a waiter are kept and count as one. */
export interface Signal {
  notify: () => void;
  /** Resolves at the next notification (at once if one is kept) or after `timeoutMs`. One waiter at a time. */
  wait(clock?: Clock, timeoutMs?: number): Promise<void>;
}

export function createSignal(): Signal {
  let raised = false;
  let wake: (() => void) | undefined;
  return {
    notify() {
      if (wake === undefined) raised = true;
      else wake();
    },
    wait(clock, timeoutMs) {
      if (raised) {
        raised = false;
        return Promise.resolve();
      }
      return new Promise<void>((resolve) => {
        let cancel = (): void => {};
        wake = () => {
          wake = undefined;
          cancel();
          resolve();
        };
        if (clock !== undefined && timeoutMs !== undefined) cancel = clock.timer(timeoutMs, () => wake?.());
      });
    },
  };
}
