import type { Clock } from '../../src/kernel/clock.ts';
import { RefusedRequest } from './exceptions.ts';

/** A bounded number of places for running statements, first come first served, with a bounded queue before it. */
export interface StatementSlots {
  /** Resolves to the function that gives the place back. Throws TOO_MANY_SIMULTANEOUS_QUERIES at either bound. */
  take(): Promise<() => void>;
}

/** Makes `places` slots; at most `waiting` callers wait, each at most `waitMs`. */
export function createStatementSlots(options: {
  places: number;
  waiting: number;
  waitMs: number;
  clock: Clock;
}): StatementSlots {
  let free = options.places;
  const queue: (() => void)[] = [];

  function giveBack(): void {
    const next = queue.shift();
    if (next === undefined) free += 1;
    else next();
  }

  function place(): () => void {
    let given = false;
    return () => {
      if (given) return;
      given = true;
      giveBack();
    };
  }

  return {
    take() {
      if (free > 0) {
        free -= 1;
        return Promise.resolve(place());
      }
      if (queue.length >= options.waiting) return Promise.reject(tooMany());
      return new Promise((resolve, reject) => {
        const enter = () => {
          cancel();
          resolve(place());
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
