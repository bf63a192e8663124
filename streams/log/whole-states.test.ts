import { expect, test } from 'vitest';
import { createWholeStates } from './whole-states.ts';

const entry = (revision: number) => ({ key: `k${revision}`, value: undefined, revision, storedAtMs: 0 });

test('entries pass at once until one was skipped, then together once none follows', () => {
  const given: number[] = [];
  const states = createWholeStates(({ revision }) => given.push(revision));
  states.add(entry(1), 3);
  states.add(entry(2), 2);
  expect(given).toEqual([1, 2]);
  states.add(entry(4), 2);
  states.add(entry(5), 1);
  expect(given).toEqual([1, 2]);
  states.add(entry(7), 0);
  states.add(entry(8), 1);
  expect(given).toEqual([1, 2, 4, 5, 7, 8]);
  expect(states.seen).toBe(8);
});

test('held entries pass when nothing follows, and are dropped with the bucket', () => {
  const given: number[] = [];
  const states = createWholeStates(({ revision }) => given.push(revision));
  states.add(entry(2), 1);
  states.flush();
  expect(given).toEqual([2]);
  states.add(entry(5), 1);
  states.reset();
  states.add(entry(1), 0);
  expect(given).toEqual([2, 1]);
  expect(states.seen).toBe(1);
});
