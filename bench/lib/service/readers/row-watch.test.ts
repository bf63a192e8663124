import { expect, test } from 'vitest';
import { catchUpOf, rowsPerSecond } from './row-watch.ts';

const samples = [
  { atMs: 1_000, rows: 0 },
  { atMs: 2_000, rows: 800 },
  { atMs: 3_100, rows: 1_700 },
  { atMs: 3_600, rows: 2_000 },
];

test('lag is what was acknowledged and not visible at the first count after the end', () => {
  expect(catchUpOf(samples, 2_000, 3_000, 1_000)).toEqual({
    acknowledged: 2_000,
    rows: 2_000,
    exact: true,
    behindEvents: 300,
    behindSeconds: 0.3,
    caughtUpSeconds: 0.6,
  });
});

test('rows that never came, and rows too many, are not exact', () => {
  expect(catchUpOf(samples, 2_001, 3_000, 1_000)).toMatchObject({ exact: false, caughtUpSeconds: undefined });
  expect(catchUpOf(samples, 1_999, 3_000, 1_000)).toMatchObject({ exact: false, rows: 2_000 });
});

test('rows per second lie between the samples, and stop growing after the last', () => {
  const rates = rowsPerSecond(samples, 1_000, 3, 1_000);
  expect(rates[0]).toBeCloseTo(800);
  expect(rates[1]).toBeCloseTo(818.2, 1);
  expect(rowsPerSecond(samples, 3_600, 1, 1_000)).toEqual([0]);
});
