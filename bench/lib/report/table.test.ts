import { expect, test } from 'vitest';
import { compact, figure, tableOf } from './table.ts';

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

test('a table is Markdown as the formatter lays it out: names to the left, figures to the right', () => {
  const items = [
    { name: 'one', value: 1_234 },
    { name: 'twenty', value: 0.5 },
  ];
  const text = tableOf(items, { '': ({ name }) => name, µs: ({ value }) => value });
  expect(text.split('\n')).toEqual([
    '|        |    µs |',
    '| ------ | ----: |',
    '| one    | 1,234 |',
    '| twenty |   0.5 |',
  ]);
});
