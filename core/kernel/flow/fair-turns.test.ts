import { expect, it } from 'vitest';
import { createFairTurns } from './fair-turns.ts';

/** Work that ends when the test says so, in the order in which it began. */
function trial(options = { atOnce: 1, waiting: 6, waitingOfLane: 4 }) {
  const turns = createFairTurns(options);
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const ask = (lane: string, name: string) =>
    turns.take(lane, async () => {
      begun.push(name);
      await new Promise<void>((resolve) => void ends.push(resolve));
      return name;
    });
  const endAll = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n += 1) {
      // The next piece begins in a later microtask.
      await new Promise((resolve) => void setImmediate(resolve));
      ends.shift()?.();
    }
  };
  return { ask, begun, endAll };
}

it('gives each lane one turn after another, however much one of them asks for', async () => {
  const { ask, begun, endAll } = trial();
  const asked = [ask('a', 'a1'), ask('a', 'a2'), ask('a', 'a3'), ask('a', 'a4'), ask('b', 'b1'), ask('c', 'c1')];
  await endAll(6);
  expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'a4']);
  expect(await Promise.all(asked)).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'c1']);
});

it('bounds a lane, and takes the newest of the longest lane when all places are taken', async () => {
  const { ask, begun, endAll } = trial();
  const first = ask('a', 'a0');
  const a = ['a1', 'a2', 'a3', 'a4', 'a5'].map((name) => ask('a', name));
  expect(await a[4]).toBe('busy');
  const b = ['b1', 'b2'].map((name) => ask('b', name));
  // Six wait: the seventh is of a lane that has none, so it takes the place of the longest.
  const c = ask('c', 'c1');
  expect(await a[3]).toBe('busy');
  await endAll(7);
  expect(begun).toEqual(['a0', 'a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  expect(await Promise.all([first, ...b, c])).toEqual(['a0', 'b1', 'b2', 'c1']);
});

it('refuses a lane that has as much as the longest, and goes on after a failure', async () => {
  const { ask, endAll } = trial({ atOnce: 1, waiting: 1, waitingOfLane: 4 });
  const running = ask('a', 'a1');
  const next = ask('a', 'a2');
  expect(await ask('b', 'b1')).toBe('busy');
  await endAll(2);
  expect(await Promise.all([running, next])).toEqual(['a1', 'a2']);
  const turns = createFairTurns({ atOnce: 1, waiting: 1, waitingOfLane: 1 });
  await expect(turns.take('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await turns.take('a', async () => 'done')).toBe('done');
});
