import type { Clock } from '../../../core/kernel/clock.ts';
import { RefusedRequest } from './exceptions.ts';

/** A bounded number of slots for running statements, with a bounded queue. */
export interface StatementSlots {
  /**
   * Resolves to the function that releases the slot. Rejects with TOO_MANY_SIMULTANEOUS_QUERIES at either bound.
   * @param tenant whose statement it is: tenants take turns, and each is first in, first out
   */
  take(tenant?: string): Promise<() => void>;
}

interface Waiting {
  tenant: string;
  enter: () => void;
  refuse: () => void;
}

/**
 * Creates `places` slots. At most `waiting` callers wait, each at most `waitMs`. When they are full, a tenant with
 * fewer takes the place of the newest of the tenant with the most.
 */
export function createStatementSlots(options: {
  places: number;
  waiting: number;
  waitMs: number;
  clock: Clock;
}): StatementSlots {
  let free = options.places;
  let turn = 0;
  const queue: Waiting[] = [];
  /** The last turn of each tenant that waits. */
  const turns = new Map<string, number>();

  const waitingOf = (tenant: string): number => queue.filter((one) => one.tenant === tenant).length;

  function leave(one: Waiting): void {
    queue.splice(queue.indexOf(one), 1);
    if (waitingOf(one.tenant) === 0) turns.delete(one.tenant);
  }

  /** Who waits for longest of the tenant whose last turn is oldest. */
  function next(): Waiting | undefined {
    let found: Waiting | undefined;
    for (const one of queue) {
      if (found === undefined || (turns.get(one.tenant) ?? 0) < (turns.get(found.tenant) ?? 0)) found = one;
    }
    return found;
  }

  /** Whether a place in the queue is free for a tenant, also by refusing another one. */
  function makesRoomFor(tenant: string): boolean {
    if (queue.length < options.waiting) return true;
    let most: Waiting | undefined;
    for (const one of queue) {
      if (most === undefined || waitingOf(one.tenant) >= waitingOf(most.tenant)) most = one;
    }
    // With one more, the tenant still has no more than the one that loses one.
    if (most === undefined || waitingOf(tenant) + 1 >= waitingOf(most.tenant)) return false;
    most.refuse();
    return true;
  }

  function release(): void {
    const one = next();
    if (one === undefined) {
      free += 1;
      return;
    }
    turn += 1;
    turns.set(one.tenant, turn);
    one.enter();
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
    take(tenant = '') {
      if (free > 0) {
        free -= 1;
        return Promise.resolve(releaseOnce());
      }
      if (!makesRoomFor(tenant)) return Promise.reject(tooMany());
      return new Promise((resolve, reject) => {
        const end = (): void => {
          cancel();
          leave(one);
        };
        const one: Waiting = {
          tenant,
          enter() {
            end();
            resolve(releaseOnce());
          },
          refuse() {
            end();
            reject(tooMany());
          },
        };
        const cancel = options.clock.timer(options.waitMs, () => one.refuse());
        queue.push(one);
      });
    },
  };
}

function tooMany(): RefusedRequest {
  return new RefusedRequest('TOO_MANY_SIMULTANEOUS_QUERIES', 'Too many statements are running; try again shortly');
}
