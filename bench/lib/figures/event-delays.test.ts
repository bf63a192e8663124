import { expect, test } from 'vitest';
import { latencyAt } from './statistics.ts';
import { delaysOf } from './event-delays.ts';

const accepted = { firstNumber: 10, atMs: [100, 200, null, 300], unanswered: [] };

test('a delay counts from the answer to the first arrival', () => {
  const arrivals = { numbers: [11, 10, 13, 11], places: [0, 0, 0, 0], atMs: [204, 102, 299, 900] };
  const delays = delaysOf(accepted, arrivals, () => [0]);
  expect(delays).toMatchObject({ wanted: 3, missing: 0, repeated: 1, unwanted: 0 });
  // What came before its answer counts as 0.
  expect(delays.latency).toMatchObject({ maxMs: 4 });
  expect(latencyAt(delays.latency, 0.5)).toBeCloseTo(2, 1);
});

test('what never came, came to the wrong place or was never accepted is told', () => {
  const arrivals = { numbers: [10, 10, 12, 9, 14], places: [1, 2, 1, 1, 1], atMs: [101, 101, 101, 101, 101] };
  const delays = delaysOf(accepted, arrivals, (number) => (number === 10 ? [1, 3] : []));
  expect(delays).toMatchObject({ wanted: 2, missing: 1, repeated: 0, unwanted: 2 });
});

test('of those before the first number that is told, only the arrival counts', () => {
  const arrivals = { numbers: [10, 13], places: [0, 0], atMs: [1100, 301] };
  const delays = delaysOf(accepted, arrivals, () => [0], 11);
  expect(delays).toMatchObject({ wanted: 3, missing: 1 });
  expect(delays.latency.maxMs).toBe(1);
});

test('an event that was never answered may arrive or not', () => {
  const arrivals = { numbers: [10, 12, 12], places: [0, 0, 0], atMs: [101, 102, 103] };
  const delays = delaysOf({ firstNumber: 10, atMs: [100, null, null], unanswered: [11, 12] }, arrivals, () => [0]);
  expect(delays).toMatchObject({ wanted: 1, missing: 0, repeated: 0, unwanted: 0 });
});
