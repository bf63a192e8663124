import { LIMITS } from '../../../src/kernel/limits.ts';

/**
 * Which entities changed since their newest snapshot, and when each is due for the next: soon after its first change ever,
 * at most once a minute later on. Two queues, each in order of the oldest change and so of due time too.
 */
export interface SnapshotQueue {
  /** An entity with no open change was changed by the record `sinceSeq`; `snapshotSeq` is 0 if it never had a snapshot. */
  changed(entityId: string, sinceSeq: number, snapshotSeq: number): void;
  /** A snapshot of the entity as it is now has gone out. */
  taken(entityId: string): void;
  /** Entities whose snapshot is due, oldest change first. */
  due(most: number): string[];
  /** Entities that wait. */
  readonly size: number;
  /** Every change at or below this sequence is in a snapshot. */
  coveredTo(appliedSeq: number): number;
}

interface Waiting {
  sinceSeq: number;
  dueAtMs: number;
}

/** @param nowMs a clock that never goes back, milliseconds */
export function createSnapshotQueue(nowMs: () => number): SnapshotQueue {
  const firstTime = new Map<string, Waiting>();
  const again = new Map<string, Waiting>();
  const queues = [firstTime, again];

  return {
    changed(entityId, sinceSeq, snapshotSeq) {
      const isFirst = snapshotSeq === 0;
      const delayMs = isFirst ? LIMITS.firstSnapshotMs : LIMITS.snapshotIntervalMs;
      (isFirst ? firstTime : again).set(entityId, { sinceSeq, dueAtMs: nowMs() + delayMs });
    },
    taken(entityId) {
      for (const queue of queues) queue.delete(entityId);
    },
    due(most) {
      const now = nowMs();
      const ids: string[] = [];
      for (const queue of queues) {
        for (const [entityId, waiting] of queue) {
          if (waiting.dueAtMs > now || ids.length >= most) break;
          ids.push(entityId);
        }
      }
      return ids;
    },
    get size() {
      return firstTime.size + again.size;
    },
    coveredTo(appliedSeq) {
      let covered = appliedSeq;
      for (const queue of queues) {
        for (const { sinceSeq } of queue.values()) {
          covered = Math.min(covered, sinceSeq - 1);
          break;
        }
      }
      return covered;
    },
  };
}
