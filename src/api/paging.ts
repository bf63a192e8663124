import { Type, type Static } from 'typebox';
import type { Failure } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { invalid } from './route.ts';

/** Query parameters of every list. */
export const PageQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LIMITS.pageItems,
      description: `Items at most, 1 to ${LIMITS.pageItems}; ${LIMITS.pageItemsDefault} when left out.`,
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: LIMITS.cursorLength,
      description: '`next_cursor` of the page before; the first page when left out.',
    }),
  ),
});

export type PageQuery = Static<typeof PageQuery>;

/** The field of a list that leads to its next page. */
export const NextCursor = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  description: 'Give it as `cursor` for the next page; null on the last.',
});

/** Some of a list's items, and where the next ones begin. */
export interface Page<T> {
  kind: 'page';
  items: T[];
  nextCursor: string | null;
}

/**
 * One page of what is held in memory, in the order of the items' keys (by code unit). What is added or removed between
 * two pages moves nothing: a cursor names the last key shown, not a place.
 * @returns a VALIDATION_ERROR when the cursor was not made here
 */
export function pageOf<T>(
  all: readonly T[],
  keyOf: (item: T) => string,
  { limit = LIMITS.pageItemsDefault, cursor }: PageQuery,
): Page<T> | Failure {
  const after = cursor === undefined ? '' : decode(cursor);
  if (after === undefined) return invalid([{ path: 'cursor', message: 'is not a cursor of this list' }]);
  const rest = all.filter((item) => keyOf(item) > after).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const items = rest.slice(0, limit);
  const last = items.at(-1);
  return { kind: 'page', items, nextCursor: last === undefined || rest.length <= limit ? null : encode(keyOf(last)) };
}

/**
 * The same as JSON texts. The page ends early with the text that takes it past `LIMITS.pageChars`, and `next_cursor` leads on:
 * 500 flags of 64 KiB would be 28 MB of one answer.
 */
export function textPageOf<T>(
  all: readonly T[],
  keyOf: (item: T) => string,
  textOf: (item: T) => string,
  query: PageQuery,
): Page<string> | Failure {
  const page = pageOf(all, keyOf, query);
  if (page.kind === 'failure') return page;
  const texts: string[] = [];
  let chars = 0;
  for (const [index, item] of page.items.entries()) {
    const text = textOf(item);
    texts.push(text);
    chars += text.length;
    if (chars > LIMITS.pageChars && index + 1 < page.items.length) {
      return { kind: 'page', items: texts, nextCursor: encode(keyOf(item)) };
    }
  }
  return { kind: 'page', items: texts, nextCursor: page.nextCursor };
}

function encode(key: string): string {
  return Buffer.from(key).toString('base64url');
}

function decode(cursor: string): string | undefined {
  const key = Buffer.from(cursor, 'base64url').toString();
  return key !== '' && encode(key) === cursor ? key : undefined;
}
