import type { Clock } from '../../src/kernel/clock.ts';
import { RefusedRequest } from './exceptions.ts';

/** A bounded number of slots for running statements, with a bounded first-in-first-out queue. */
export interface StatementSlots {
  /** Resolves to the function that releases the slot. Rejects with TOO_MANY_SIMULTANEOUS_QUERIES at either bound. */
  take(): Promise<() => void>;
}

/** Creates `places` slots. At most `waiting` callers wait, each at most `waitMs`. */
export function createStatementSlots(options: {
  places: number;
  waiting: number;
  waitMs: number;
  clock: Clock;
}): StatementSlots {
  let free = options.places;
  const queue: (() => void)[] = [];

  function release(): void {
    const next = queue.shift();
    if (next === undefined) free += 1;
    else next();
  }

  function releaseOnce(): () => void {
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      release();
    };
  }

  return {
    take() {
      if (free > 0) {
        free -= 1;
        return Promise.resolve(releaseOnce());
      }
      if (queue.length >= options.waiting) return Promise.reject(tooMany());
      return new Promise((resolve, reject) => {
        const enter = () => {
          cancel();
          resolve(releaseOnce());
        };
        const cancel = options.clock.timer(options.waitMs, () => {
          queue.splice(queue.indexOf(enter), 1);
          reject(tooMany());
        });
        queue.push(enter);
      });
    },
  };
}

function tooMany(): RefusedRequest {
  return new RefusedRequest('TOO_MANY_SIMULTANEOUS_QUERIES', 'Too many statements are running; try again shortly');
}
