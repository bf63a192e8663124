import { expect, test } from 'vitest';
import { markdownTable } from './markdown.ts';

test('a Markdown table is laid out as the formatter does it: names to the left, figures to the right', () => {
  const items = [
    { name: 'one', value: 1_234 },
    { name: 'twenty', value: 0.5 },
  ];
  const text = markdownTable(items, { '': ({ name }) => name, µs: ({ value }) => value });
  expect(text.split('\n')).toEqual([
    '|        |    µs |',
    '| ------ | ----: |',
    '| one    | 1,234 |',
    '| twenty |   0.5 |',
  ]);
});
