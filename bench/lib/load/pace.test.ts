import { expect, test } from 'vitest';
import { asConnectionsAllow, atRate } from './pace.ts';

test('at a rate, what a late look finds is due when it was due', () => {
  const due: [number, number][] = [];
  const pace = atRate(5, 100, (index, dueMs) => void due.push([index, dueMs]));
  expect(pace(0)).toBe(true);
  expect(pace(9.9)).toBe(true);
  expect(due).toEqual([[0, 0]]);
  expect(pace(35)).toBe(true);
  expect(due).toEqual([
    [0, 0],
    [1, 10],
    [2, 20],
    [3, 30],
  ]);
  expect(pace(1_000)).toBe(false);
  expect(due.at(-1)).toEqual([4, 40]);
  expect(due).toHaveLength(5);
});

test('as there is room, until the time is over', () => {
  let room = 3;
  const due: [number, number][] = [];
  const pace = asConnectionsAllow(
    Infinity,
    1,
    () => room > 0,
    (index, dueMs) => {
      room -= 1;
      due.push([index, dueMs]);
    },
  );
  expect(pace(5)).toBe(true);
  room = 1;
  expect(pace(999)).toBe(true);
  room = 1;
  expect(pace(1_000)).toBe(false);
  expect(due).toEqual([
    [0, 5],
    [1, 5],
    [2, 5],
    [3, 999],
  ]);
});

test('as there is room, until all were begun', () => {
  let begun = 0;
  const pace = asConnectionsAllow(
    2,
    Infinity,
    () => true,
    () => void (begun += 1),
  );
  expect(pace(5)).toBe(false);
  expect(pace(6)).toBe(false);
  expect(begun).toBe(2);
});
