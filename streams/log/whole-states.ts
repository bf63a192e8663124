import type { BucketEntry } from './log.ts';

/**
 * Passes the entries of a watch on so that between two turns of the event loop their receiver holds a state that the
 * bucket had. A bucket holds last values only: a watch that catches up skips changes that later ones replaced, so
 * before those it would give a mixture of old and new. From a skipped revision on, entries are held until none follows
 * in the bucket, then passed on in one turn. A bucket's keys bound them, because only last values come.
 */
export interface WholeStates {
  /** @param pending entries that followed this one when the broker sent it */
  add(entry: BucketEntry, pending: number): void;
  /** Nothing follows: passes on what is held. */
  flush(): void;
  /** The bucket was created anew: its revisions begin again. */
  reset(): void;
  /** The highest revision added. */
  readonly seen: number;
}

export function createWholeStates(onEntry: (entry: BucketEntry) => void): WholeStates {
  let seen = 0;
  let held: BucketEntry[] = [];

  function flush(): void {
    const entries = held;
    held = [];
    for (const entry of entries) onEntry(entry);
  }

  return {
    add(entry, pending) {
      const isSkipping = entry.revision > seen + 1;
      seen = Math.max(seen, entry.revision);
      if (!isSkipping && held.length === 0) {
        onEntry(entry);
        return;
      }
      held.push(entry);
      if (pending === 0) flush();
    },
    flush,
    reset() {
      seen = 0;
      held = [];
    },
    get seen() {
      return seen;
    },
  };
}
