import { LIMITS, type Limits } from '../../../src/kernel/limits.ts';

/**
 * Entities that changed since their newest snapshot, and when each is due for the next one: soon after its first
 * change, later at most once a minute. Two queues, each in order of the oldest change and therefore of due time.
 */
export interface SnapshotQueue {
  /** The record `sinceSeq` changed an entity that its newest snapshot held in full; `snapshotSeq` is 0 without one. */
  changed(entityId: string, sinceSeq: number, snapshotSeq: number): void;
  /** A snapshot of the entity's current state was committed. */
  taken(entityId: string): void;
  /** Entities whose snapshot is due, oldest change first. */
  due(most: number): string[];
  /** Number of waiting entities. */
  readonly size: number;
  /** The sequence up to which snapshots hold every change. */
  coveredTo(appliedSeq: number): number;
}

interface Waiting {
  sinceSeq: number;
  dueAtMs: number;
}

export type SnapshotLimits = Pick<Limits, 'firstSnapshotMs' | 'snapshotIntervalMs'>;

/** @param nowMs monotonic clock, milliseconds */
export function createSnapshotQueue(nowMs: () => number, limits: SnapshotLimits = LIMITS): SnapshotQueue {
  const firstTime = new Map<string, Waiting>();
  const again = new Map<string, Waiting>();
  const queues = [firstTime, again];

  return {
    changed(entityId, sinceSeq, snapshotSeq) {
      const isFirst = snapshotSeq === 0;
      const delayMs = isFirst ? limits.firstSnapshotMs : limits.snapshotIntervalMs;
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
