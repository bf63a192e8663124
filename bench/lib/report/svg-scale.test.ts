import { expect, test } from 'vitest';
import { linearScale, logScale } from './svg-scale.ts';

test.each([
  [87, [0, 25, 50, 75, 100]],
  [12_000, [0, 5_000, 10_000, 15_000]],
  [0, [0, 0.25, 0.5, 0.75, 1]],
])('a linear axis up to %d has the ticks %j', (max, ticks) => {
  expect(linearScale(max).ticks).toEqual(ticks);
});

test('a logarithmic axis reaches out to the next ticks on both sides', () => {
  expect(logScale(0.3, 40, true).ticks).toEqual([0.2, 0.5, 1, 2, 5, 10, 20, 50]);
  expect(logScale(0.002, 0.9, false).ticks).toEqual([0.001, 0.01, 0.1, 1]);
});

test('equal ratios are equal distances; what lies outside is on the edge', () => {
  const scale = logScale(1, 100, false);
  expect([0.1, 1, 10, 100, 1_000].map((value) => scale.at(value))).toEqual([0, 0, 0.5, 1, 1]);
});

test('an axis of one value is still an axis', () => {
  const scale = logScale(1, 1, true);
  expect(scale.ticks).toEqual([1, 2]);
  expect(scale.at(1)).toBe(0);
});
