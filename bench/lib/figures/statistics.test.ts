import { expect, test } from 'vitest';
import { median, medianByName, medianRatio } from './statistics.ts';

test.each([
  [[3], 3],
  [[9, 1, 5], 5],
  [[4, 1, 3, 2], 2.5],
])('the median of %j is %d', (values, expected) => {
  expect(median(values)).toBe(expected);
});

test('the median of nothing is not a number', () => {
  expect(median([])).toBeNaN();
});

test('a ratio is taken within each pair: a slow moment of the machine does not change it', () => {
  const pairs = [
    { of: 50, to: 100 },
    { of: 5, to: 10 },
    { of: 52, to: 100 },
  ];
  expect(medianRatio(pairs)).toBe(0.5);
});

test('medians by name take each name where it is present', () => {
  expect(medianByName([{ a: 1, b: 10 }, { a: 3 }, { a: 2, b: 30 }])).toEqual({ a: 2, b: 20 });
});
