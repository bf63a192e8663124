import type { BucketEntry } from './log.ts';

/**
 * Passes the entries of a watch on so that between two turns of the event loop their receiver holds a state that the
 * bucket had. A bucket holds only the last value of each key. A watch that catches up therefore skips changes that
 * later ones replaced; until those arrive, its receiver would hold a mixture of old and new values. So from a skipped
 * revision on, entries are held until none follows in the bucket, and then passed on in one turn. At most one entry for
 * each key of the bucket is held.
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
