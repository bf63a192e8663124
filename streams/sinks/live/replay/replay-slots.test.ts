import { expect, it } from 'vitest';
import { createFakeClock } from '../../../../test/support/in-memory/fake-clock.ts';
import { createReplaySlots } from './replay-slots.ts';

const TURN_MS = 1_000;

function setUp(limit: number) {
  const clock = createFakeClock();
  const slots = createReplaySlots({ limit, turnMs: TURN_MS, clock });
  const running = new Set<string>();
  const leave = new Map<string, () => void>();
  const enter = (key: string, name: string) =>
    leave.set(name, slots.enter(key, { start: () => running.add(name), pause: () => running.delete(name) }));
  const end = async (name: string) => {
    leave.get(name)?.();
    running.delete(name);
    await clock.flush();
  };
  const runningOf = (key: string) => [...running].filter((name) => name.startsWith(key)).length;
  return { clock, running, enter, end, runningOf };
}

it('free slots go to the key with the fewest replays, however many another key has waiting', async () => {
  const { clock, running, enter, end } = setUp(2);
  for (let i = 0; i < 50; i++) enter('a', `a${i}`);
  enter('b', 'b0');
  await clock.flush();
  expect([...running]).toEqual(['a0', 'a1']);
  await end('a0');
  expect([...running]).toEqual(['a1', 'b0']);
  await end('b0');
  await end('a1');
  expect([...running]).toEqual(['a2', 'a3']);
});

it('replays that never end yield their slots to other keys, one a turn each, and continue later', async () => {
  const { clock, running, enter, end, runningOf } = setUp(4);
  for (let i = 0; i < 10; i++) enter('a', `a${i}`);
  await clock.advance(TURN_MS / 2);
  for (let i = 0; i < 10; i++) enter('b', `b${i}`);
  expect([runningOf('a'), runningOf('b')]).toEqual([4, 0]);
  await clock.advance(TURN_MS / 2);
  expect([runningOf('a'), runningOf('b')]).toEqual([2, 2]);
  // Equal shares: no replay is paused from here on, because a pause costs a new reader of the log.
  const shared = [...running];
  await clock.advance(10 * TURN_MS);
  expect([...running]).toEqual(shared);
  for (let i = 0; i < 10; i++) await end(`b${i}`);
  expect(runningOf('a')).toBe(4);
  for (let i = 2; i < 10; i++) await end(`a${i}`);
  expect([...running].toSorted()).toEqual(['a0', 'a1']);
});

it('with more keys than slots every key has its turn', async () => {
  const { clock, running, enter } = setUp(2);
  const keys = ['a', 'b', 'c', 'd', 'e'];
  for (const key of keys) enter(key, key);
  const seen = new Set<string>();
  for (let turn = 0; turn < 6; turn++) {
    await clock.flush();
    expect(running.size).toBe(2);
    for (const name of running) seen.add(name);
    await clock.advance(TURN_MS);
  }
  expect([...seen].toSorted()).toEqual(keys);
});

it('a replay that leaves the queue is never started', async () => {
  const { clock, running, enter, end } = setUp(1);
  enter('a', 'a0');
  enter('b', 'b0');
  await end('b0');
  await end('a0');
  await clock.advance(10 * TURN_MS);
  expect([...running]).toEqual([]);
});
