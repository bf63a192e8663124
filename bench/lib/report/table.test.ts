import { expect, test } from 'vitest';
import { compact, figure, table } from './table.ts';

test.each([
  [0.012345, '0.0123'],
  [4.5678, '4.57'],
  [99.96, '100'],
  [1234.5, '1,235'],
  [0, '0'],
  [Number.NaN, '–'],
  [Number.POSITIVE_INFINITY, '–'],
])('%d is written %s', (value, text) => {
  expect(figure(value)).toBe(text);
});

test.each([
  [1_500_000, '1.5 M'],
  [120_000, '120 k'],
  [5_000, '5,000'],
])('%d is written %s on an axis', (value, text) => {
  expect(compact(value)).toBe(text);
});

test('columns are as wide as their widest cell; figures stand to the right', () => {
  expect(
    table(
      ['', 'req/s'],
      [
        ['a long name', '1'],
        ['b', '100,000'],
      ],
    ),
  ).toBe(['               req/s', '───────────  ───────', 'a long name        1', 'b            100,000'].join('\n'));
});
