import { expect, test } from 'vitest';
import { backlogRate } from './backlog-rate.ts';

test('a backlog is timed from the end of the load, without its stragglers', () => {
  // Twenty while the load lasted, then one every 10 ms, the last of them a minute late.
  const during = Array.from({ length: 20 }, (_, turn) => turn);
  const after = Array.from({ length: 79 }, (_, turn) => 1_000 + (turn + 1) * 10);
  const { perSecond, backlog } = backlogRate([...after.toReversed(), ...during, 61_000], 1_000);
  expect(backlog).toBe(80);
  expect(perSecond).toBeCloseTo(100);
});

test('where the output kept up with the load, all of it is timed', () => {
  const arrivedMs = Array.from({ length: 100 }, (_, turn) => 500 + turn * 10);
  const { perSecond, backlog } = backlogRate(arrivedMs, 1_400);
  expect(backlog).toBe(9);
  expect(perSecond).toBeCloseTo((95 * 1000) / 940);
});
