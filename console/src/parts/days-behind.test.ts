import { expect, it } from 'vitest';
import { daysBehind } from './days-behind.ts';

const NOW = Date.parse('2026-11-27T10:00:00Z');

it.each([
  ['is current up to two minutes', '2026-11-27T09:58:00.000Z', undefined],
  ['is behind beyond them', '2026-11-27T09:57:59.000Z', 121_000],
  ['is not behind by a clock of the browser that is late', '2026-11-27T10:05:00.000Z', undefined],
  ['has no end while all days are built anew', null, Number.POSITIVE_INFINITY],
  ['is of no matter where no days are read', undefined, undefined],
])('an answer %s', (_, builtTo, behind) => {
  expect(daysBehind(builtTo, NOW)).toBe(behind);
});
