import { isWord, type Token } from './sql-tokens.ts';

/* What a word of a statement is, by the tokens around it. */

const QUERY_WORDS = ['select', 'with', 'from'];
/** Words before a value: the next word is a column, even if it is also a keyword. */
const OPERATORS =
  `all and any between by case distinct div else from having ilike interval is like mod not on or prewhere qualify
  select then using when where xor`.split(/\s+/);

export function isQueryAt(tokens: readonly Token[], at: number): boolean {
  let first = at;
  while (tokens[first]?.value === '(') first += 1;
  return isWord(tokens[first], ...QUERY_WORDS) && tokens[first + 1]?.value !== ',' && tokens[first + 1]?.value !== ')';
}

export function isPartOfName(tokens: readonly Token[], at: number): boolean {
  return tokens[at - 1]?.value === '.';
}

/** Whether a value starts at `at`, so the word there is a column and does not start a clause. */
export function isOperand(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1];
  if (before?.kind === 'symbol') return before.value !== ')' && before.value !== ']' && before.value !== '*';
  return isWord(before, ...OPERATORS) && !isPartOfName(tokens, at - 1);
}

export function isDistinctFrom(tokens: readonly Token[], at: number): boolean {
  return isWord(tokens[at - 1], 'distinct') && isWord(tokens[at - 2], 'is', 'not') && !isPartOfName(tokens, at - 2);
}

export function isFillFrom(tokens: readonly Token[], at: number): boolean {
  return isWord(tokens[at - 1], 'fill') && isWord(tokens[at - 2], 'with') && !isPartOfName(tokens, at - 2);
}

export function isArrayJoin(tokens: readonly Token[], at: number, lastName: number): boolean {
  return (
    isWord(tokens[at - 1], 'array') &&
    lastName !== at - 1 &&
    !isPartOfName(tokens, at - 1) &&
    !isOperand(tokens, at - 1)
  );
}

export function isFormatName(tokens: readonly Token[], at: number, end: number): boolean {
  const next = tokens[at + 1];
  return at + 1 < end && (next?.kind === 'word' || next?.kind === 'name');
}
