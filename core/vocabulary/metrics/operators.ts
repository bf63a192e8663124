import { namesOf } from './metrics.ts';

/**
 * What a condition of a query compares. Without a value every operator but `is_not` and `is_not_set` is false; `in`
 * names such rows by ''.
 */
export const FILTER_OPERATORS = {
  in: { takes: 'texts', words: 'One of these texts; empty: rows without a value.' },
  is: { takes: 'value', words: 'This value. A text compares as text, a number with numbers, `true` and `false` too.' },
  is_not: { takes: 'value', words: 'Another value than this, or none.' },
  gt: { takes: 'number', words: 'A number greater than this.' },
  gte: { takes: 'number', words: 'A number of at least this.' },
  lt: { takes: 'number', words: 'A number less than this.' },
  lte: { takes: 'number', words: 'A number of at most this.' },
  contains: { takes: 'text', words: 'A text with this in it, letters as they are.' },
  is_set: { takes: 'true', words: '`true`: there is a value.' },
  is_not_set: { takes: 'true', words: '`true`: there is no value.' },
} as const;

export type FilterOperator = keyof typeof FILTER_OPERATORS;
export const FILTER_OPERATOR_NAMES: readonly FilterOperator[] = namesOf(FILTER_OPERATORS);
