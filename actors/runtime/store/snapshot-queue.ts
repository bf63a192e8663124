import type { Adjustable } from '../../../core/kernel/adjustable.ts';
import { OWNER_LIMITS } from '../limits.ts';

/**
 * Entities that changed since their newest snapshot, and when each is due for the next one.
 *
 * Owns: the waiting entities in the order of their oldest change, and a queue for each delay.
 * Invariants
 * 1. A waiting entity is in exactly one queue. A queue has one delay, so its order is that of its due times.
 * 2. `changed` is called with ascending sequences, so the first waiting entity has the oldest change.
 */
export interface SnapshotQueue {
  /** The record `sinceSeq` changed an entity that its newest snapshot held in full. */
  changed(entityId: string, sinceSeq: number, pace: SnapshotPace): void;
  /** A waiting entity changed in a field that analysts read: its snapshot is due after the shortest interval. */
  shown(entityId: string): void;
  /**
   * A snapshot of the entity's current state was committed.
   * @returns the delay that it had, milliseconds; 0: it was the first snapshot
   */
  taken(entityId: string): number;
  /**
   * Entities whose snapshot is due, each once.
   * @param belowSeq those that changed below this sequence are due whatever the time, and first: FACTS needs room
   */
  due(most: number, belowSeq?: number): string[];
  /** Number of waiting entities. */
  readonly size: number;
  /** Number of waiting entities without any snapshot. */
  readonly firstTime: number;
  /** The sequence up to which snapshots hold every change. */
  coveredTo(appliedSeq: number): number;
}

/** What decides the delay of an entity's next snapshot. */
export interface SnapshotPace {
  /** There is no snapshot of the entity yet. */
  isFirst: boolean;
  /** The delay of the newest snapshot, as `taken` returned it; 0 when unknown. */
  lastDelayMs: number;
  /** Time since that snapshot, milliseconds. */
  restedMs: number;
  /** Only work in bulk uses the entity now. */
  isBulk?: boolean;
}

interface Waiting {
  sinceSeq: number;
  queue: Queue;
}

interface Queue {
  delayMs: number;
  /** Monotonic times at which the delays began. */
  since: Map<string, number>;
}

export type SnapshotLimits = Adjustable<
  typeof OWNER_LIMITS,
  'firstSnapshotMs' | 'snapshotIntervalMs' | 'longestSnapshotIntervalMs'
>;

/**
 * @param nowMs monotonic clock, milliseconds
 * @param mostInBulk while so many entities wait, those that work in bulk changes are due at once. A list has up to a
 *   million players, and each waiting entity takes about 200 bytes.
 */
export function createSnapshotQueue(
  nowMs: () => number,
  limits: SnapshotLimits = OWNER_LIMITS,
  mostInBulk = Infinity,
): SnapshotQueue {
  const shortestMs = limits.snapshotIntervalMs;
  const waiting = new Map<string, Waiting>();
  const first: Queue = { delayMs: limits.firstSnapshotMs, since: new Map() };
  const repeated: Queue[] = delaysOf(limits).map((delayMs) => ({ delayMs, since: new Map() }));
  const atOnce: Queue = { delayMs: 0, since: new Map() };
  const queues = [first, ...repeated, atOnce];

  /** An entity that changes again within the delay of its newest snapshot waits longer than for that one. */
  function queueFor({ isFirst, lastDelayMs, restedMs, isBulk = false }: SnapshotPace): Queue {
    if (isFirst) return first;
    if (isBulk && waiting.size >= mostInBulk) return atOnce;
    const wantedMs = Math.max(shortestMs, restedMs < lastDelayMs ? GROWTH * lastDelayMs : 0);
    return repeated.findLast(({ delayMs }) => delayMs <= wantedMs) ?? first;
  }

  return {
    changed(entityId, sinceSeq, pace) {
      const queue = queueFor(pace);
      waiting.set(entityId, { sinceSeq, queue });
      queue.since.set(entityId, nowMs());
    },
    shown(entityId) {
      const entry = waiting.get(entityId);
      const [shortest] = repeated;
      if (entry === undefined || shortest === undefined || entry.queue.delayMs <= shortestMs) return;
      const leftMs = (entry.queue.since.get(entityId) ?? 0) + entry.queue.delayMs - nowMs();
      if (leftMs <= shortestMs) return;
      entry.queue.since.delete(entityId);
      entry.queue = shortest;
      shortest.since.set(entityId, nowMs());
    },
    taken(entityId) {
      const entry = waiting.get(entityId);
      if (entry === undefined) return 0;
      waiting.delete(entityId);
      entry.queue.since.delete(entityId);
      return entry.queue === first ? 0 : entry.queue.delayMs;
    },
    due(most, belowSeq = 0) {
      const now = nowMs();
      const ids: string[] = [];
      for (const [entityId, { sinceSeq }] of waiting) {
        if (sinceSeq >= belowSeq || ids.length >= most) break;
        ids.push(entityId);
      }
      for (const { delayMs, since } of queues) {
        for (const [entityId, sinceMs] of since) {
          if (sinceMs > now - delayMs || ids.length >= most) break;
          if ((waiting.get(entityId)?.sinceSeq ?? 0) < belowSeq) continue;
          ids.push(entityId);
        }
      }
      return ids;
    },
    get size() {
      return waiting.size;
    },
    get firstTime() {
      return first.since.size;
    },
    coveredTo(appliedSeq) {
      const [oldest] = waiting.values();
      return oldest === undefined ? appliedSeq : Math.min(appliedSeq, oldest.sinceSeq - 1);
    },
  };
}

/** With 4, an hour of play takes 6 snapshots, twenty minutes 4; with 2 they take 8 and 6. */
const GROWTH = 4;

/** The shortest interval, each `GROWTH` times as long as the one before, and the longest. */
function delaysOf(limits: SnapshotLimits): number[] {
  const delays: number[] = [];
  const longestMs = limits.longestSnapshotIntervalMs;
  for (let delayMs = limits.snapshotIntervalMs; delayMs < longestMs; delayMs *= GROWTH) delays.push(delayMs);
  return [...delays, longestMs];
}
