import { beforeEach, describe, expect, it } from 'vitest';
import { createSnapshotQueue, type SnapshotQueue } from './snapshot-queue.ts';

const LIMITS = { firstSnapshotMs: 2_000, snapshotIntervalMs: 60_000, longestSnapshotIntervalMs: 900_000 };
const FIRST = { isFirst: true, lastDelayMs: 0, restedMs: 0 };
const QUIET = { isFirst: false, lastDelayMs: 0, restedMs: 0 };

describe('the queue of snapshots', () => {
  let nowMs = 0;
  let queue: SnapshotQueue;
  beforeEach(() => {
    nowMs = 1_000_000;
    queue = createSnapshotQueue(() => nowMs, LIMITS);
  });

  /** The time until an entity is due, in milliseconds. */
  function timeToDue(entityId: string): number {
    const beganMs = nowMs;
    while (!queue.due(10).includes(entityId)) nowMs += 500;
    return nowMs - beganMs;
  }

  it('delays the first snapshot of an entity by 2 s and a later one by a minute', () => {
    queue.changed('new', 1, FIRST);
    queue.changed('old', 2, QUIET);
    expect(timeToDue('new')).toBe(2_000);
    expect(timeToDue('old')).toBe(58_000);
  });

  it('multiplies the delay of an entity that keeps changing by four, up to the longest interval', () => {
    const delays: number[] = [];
    let lastDelayMs = 0;
    for (let turn = 1; turn <= 5; turn++) {
      queue.changed('busy', turn, { isFirst: false, lastDelayMs, restedMs: 1_000 });
      delays.push(timeToDue('busy') / 60_000);
      lastDelayMs = queue.taken('busy');
    }
    expect(delays).toEqual([1, 4, 15, 15, 15]);
  });

  it('begins with the shortest delay again after an entity has rested', () => {
    queue.changed('p', 1, { isFirst: false, lastDelayMs: 240_000, restedMs: 240_000 });
    expect(timeToDue('p')).toBe(60_000);
  });

  it('has a change that analysts read due within a minute, and no later than before', () => {
    queue.changed('busy', 1, { isFirst: false, lastDelayMs: 900_000, restedMs: 0 });
    queue.changed('almost', 2, { isFirst: false, lastDelayMs: 60_000, restedMs: 0 });
    nowMs += 200_000;
    queue.shown('busy');
    queue.shown('almost');
    queue.shown('unknown');
    expect(timeToDue('almost')).toBe(40_000);
    queue.shown('busy');
    expect(timeToDue('busy')).toBe(20_000);
  });

  it('has what changed below a sequence due at once, the oldest change first', () => {
    queue.changed('busy', 1, { isFirst: false, lastDelayMs: 900_000, restedMs: 0 });
    queue.changed('new', 2, FIRST);
    queue.changed('old', 3, QUIET);
    nowMs += 2_000;
    expect(queue.due(10)).toEqual(['new']);
    expect(queue.due(10, 2)).toEqual(['busy', 'new']);
    expect(queue.due(10, 4)).toEqual(['busy', 'new', 'old']);
    expect(queue.due(1, 4)).toEqual(['busy']);
  });

  it('has what work in bulk changed due at once, after others, while many wait', () => {
    queue = createSnapshotQueue(() => nowMs, LIMITS, 2);
    const listed = { ...QUIET, isBulk: true };
    for (const [place, id] of ['a', 'b', 'c', 'd'].entries()) queue.changed(id, place + 1, listed);
    queue.changed('new', 5, { ...FIRST, isBulk: true });
    queue.changed('played', 6, QUIET);
    expect(queue.due(10)).toEqual(['c', 'd']);
    nowMs += 2_000;
    expect(queue.due(10)).toEqual(['new', 'c', 'd']);
    expect(queue.taken('c')).toBe(0);
    expect(queue.due(10)).toEqual(['new', 'd']);
    expect(queue.coveredTo(9)).toBe(0);
  });

  it('covers everything before the oldest change that waits, whatever its delay', () => {
    queue.changed('busy', 5, { isFirst: false, lastDelayMs: 900_000, restedMs: 0 });
    queue.changed('new', 7, FIRST);
    expect(queue.coveredTo(9)).toBe(4);
    queue.shown('busy');
    expect(queue.coveredTo(9)).toBe(4);
    queue.taken('busy');
    expect(queue.coveredTo(9)).toBe(6);
    queue.taken('new');
    expect([queue.coveredTo(9), queue.size, queue.taken('new')]).toEqual([9, 0, 0]);
  });
});
