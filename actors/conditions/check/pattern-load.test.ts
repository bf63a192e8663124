import { expect, test } from 'vitest';
import type { Json } from '../../../core/kernel/text/json.ts';
import { hasTooManyPatterns } from './pattern-load.ts';

const conditions = (count: number, pattern: string, operator = '$regex'): Json => ({
  $or: Array.from({ length: count }, (_, i) => ({ [`attributes.a${i}`]: { [operator]: pattern } })),
});

test.each<[string, boolean, Json]>([
  ['many short patterns', false, conditions(330, '^level_[0-9]+$')],
  ['a few large ones', false, conditions(10, '(?:ab?c){1,85}')],
  ['hundreds of large ones', true, conditions(330, '(?:(?:a{9}b?){9}c){9}')],
  ['hundreds of negated ones', true, conditions(330, '(?:ab?c){1,85}', '$notRegexi')],
  ['many classes of Unicode', true, conditions(330, String.raw`\p{L}`)],
  ['patterns below $not and $elemMatch', true, { a: { $not: { $elemMatch: conditions(330, 'a{100}') } } }],
  ['patterns that are refused without compiling', false, conditions(330, 'a{999}{9}')],
  ['patterns in other operands', false, { a: { $in: Array.from({ length: 900 }, () => 'x{100}') } }],
])('whether %s are too many to compile: %s', (_, expected, definition) => {
  expect(hasTooManyPatterns(definition)).toBe(expected);
});
