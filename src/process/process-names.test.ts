import { expect, test } from 'vitest';
import { ranked } from '../../actors/runtime/membership/rendezvous.ts';
import { processNames } from './process-names.ts';

const FIRST = ['n-000000000000', 'n-0123456789ab', 'n-feedfeedfeed'] as const;

const shares = (names: readonly string[], partitions: number): number[] =>
  names.map(
    (name) =>
      Array.from({ length: partitions }, (_, each) => ranked(names, each)[0]).filter((top) => top === name).length,
  );

test.each([
  [2, 2],
  [3, 6],
  [5, 10],
  [10, 20],
  [10, 16],
  [16, 32],
])('%i processes own their shares of %i partitions', (count, partitions) => {
  for (const first of FIRST) {
    const owned = shares(processNames(first, count, partitions), partitions);
    expect(Math.min(...owned)).toBe(Math.floor(partitions / count));
    expect(Math.max(...owned)).toBe(Math.ceil(partitions / count));
  }
});

test('the first name stays, and all are different names of nodes', () => {
  const names = processNames(FIRST[0], 5, 10);
  expect(names[0]).toBe(FIRST[0]);
  expect(new Set(names).size).toBe(5);
  expect(names.filter((name) => !/^n-[0-9a-f]{12}$/.test(name))).toEqual([]);
});

test('every process finds the same names', () => {
  expect(processNames(FIRST[1], 10, 20)).toEqual(processNames(FIRST[1], 10, 20));
});

test('one process keeps its name', () => {
  expect(processNames(FIRST[0], 1, 2)).toEqual([FIRST[0]]);
});
