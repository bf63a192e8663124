import { scopeKey } from '../record/scope-key.ts';
import type { DeliveryBatch } from './delivery-batches.ts';
import type { Scope } from '../../../../core/vocabulary/documents/scope.ts';

/** The deliveries of one record for one game, in batches that are made as they are needed. */
export interface MatchTask {
  readonly scope: Scope;
  /** Sequence of the record. */
  readonly sequence: number;
  /** The game's share of the record's bytes. */
  readonly sizeBytes: number;
  readonly deliveries: Iterator<DeliveryBatch>;
  /** Called once all of its deliveries are stored or have overflowed. */
  onDone: () => void;
}

/**
 * Owns the tasks of one game.
 *
 * Invariants
 * 1. Deliveries are taken in the order of the tasks.
 * 2. A task is done once it has no deliveries left and all of its appends have completed.
 */
export interface GameTasks {
  /** Scope key of the game. */
  readonly game: string;
  readonly scope: Scope;
  /** Tasks that are not done, in order, and their bytes. */
  readonly open: ReadonlySet<MatchTask>;
  readonly sizeBytes: number;
  add(task: MatchTask): void;
  /** Takes the next deliveries; `undefined`: no task has deliveries left. */
  next(): { task: MatchTask; deliveries: DeliveryBatch } | undefined;
  /** Counts an append of the task. */
  appendStarted(task: MatchTask): void;
  appendCompleted(task: MatchTask): void;
}

/** @param onEmpty called when the last open task is done, before its `onDone` */
export function createGameTasks(scope: Scope, onEmpty: (game: string) => void): GameTasks {
  const game = scopeKey(scope);
  const open = new Set<MatchTask>();
  /** Tasks that may have deliveries left, in order. */
  const unread: MatchTask[] = [];
  const appends = new Map<MatchTask, number>();
  let sizeBytes = 0;

  function done(task: MatchTask): void {
    open.delete(task);
    sizeBytes -= task.sizeBytes;
    if (open.size === 0) onEmpty(game);
    task.onDone();
  }

  return {
    game,
    scope,
    open,
    get sizeBytes() {
      return sizeBytes;
    },
    add(task) {
      open.add(task);
      unread.push(task);
      sizeBytes += task.sizeBytes;
    },
    next() {
      for (let [task] = unread; task !== undefined; [task] = unread) {
        const found = task.deliveries.next();
        if (found.done !== true) return { task, deliveries: found.value };
        unread.shift();
        if (!appends.has(task)) done(task);
      }
      return undefined;
    },
    appendStarted(task) {
      appends.set(task, (appends.get(task) ?? 0) + 1);
    },
    appendCompleted(task) {
      const left = (appends.get(task) ?? 0) - 1;
      if (left > 0) appends.set(task, left);
      else appends.delete(task);
      if (left === 0 && !unread.includes(task)) done(task);
    },
  };
}
