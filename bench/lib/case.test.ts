import { expect, test } from 'vitest';
import { parseDuration } from './case.ts';

test.each([
  ['45', 45],
  ['30s', 30],
  ['10m', 600],
  ['1.5h', 5400],
  ['ten', undefined],
  ['5d', undefined],
  ['-3s', undefined],
])('%s is %s seconds', (text, seconds) => {
  expect(parseDuration(text)).toBe(seconds);
});
