import { Type, type Static } from 'typebox';
import type { Failure } from '../../../core/kernel/errors.ts';
import { API_LIMITS } from '../limits.ts';
import { INPUT_LIMITS } from './limits.ts';
import { invalid } from '../route/route.ts';
import { textOrNull } from './fields.ts';

/*
 * Pagination of lists that are held in memory. A cursor names the last key shown, so it stays valid when items are
 * added or removed between two pages.
 */

/** Query parameters of every list. */
export const PageQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: API_LIMITS.pageItems,
      description: `Maximum number of items per page, 1 to ${API_LIMITS.pageItems}. Default: ${API_LIMITS.pageItemsDefault}.`,
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: API_LIMITS.cursorLength,
      description: '`next_cursor` of the previous page. Leave it out for the first page.',
    }),
  ),
});

export type PageQuery = Static<typeof PageQuery>;

/** The field of a page with the cursor of the next page. */
export const NextCursor = textOrNull('Send it as `cursor` to get the next page; null on the last page.');

/** A page of a list. */
export interface Page<T> {
  kind: 'page';
  items: T[];
  nextCursor: string | null;
}

/** The order of a list that has several. Its name is in cursors, because a place in one means nothing in another. */
export interface PageOrder {
  name: string;
  isDescending: boolean;
}

const BY_KEY: PageOrder = { name: '', isDescending: false };

/**
 * A page of items held in memory, in the order of their keys (by code unit).
 * @returns a VALIDATION_ERROR if `encode` did not produce the cursor
 */
export function pageOf<T>(
  all: readonly T[],
  keyOf: (item: T) => string,
  { limit = API_LIMITS.pageItemsDefault, cursor }: PageQuery,
  order: PageOrder = BY_KEY,
): Page<T> | Failure {
  const after = cursor === undefined ? undefined : decode(cursor, order);
  if (cursor !== undefined && after === undefined) return invalid([{ path: 'cursor', message: NOT_A_CURSOR }]);
  const forth = order.isDescending ? -1 : 1;
  const compare = (one: string, other: string): number => (one === other ? 0 : one < other ? -forth : forth);
  const rest = all
    .map((item) => ({ item, key: keyOf(item) }))
    .filter(({ key }) => after === undefined || compare(key, after) > 0)
    .sort((one, other) => compare(one.key, other.key));
  const items = rest.slice(0, limit);
  const last = items.at(-1);
  return {
    kind: 'page',
    items: items.map(({ item }) => item),
    nextCursor: last === undefined || rest.length <= limit ? null : encode(last.key, order),
  };
}

/**
 * A page of JSON texts. It ends early once its texts exceed `mostChars`: 500 flags of 64 KiB would make a response of
 * 28 MB.
 */
export function textPageOf<T>(
  all: readonly T[],
  keyOf: (item: T) => string,
  textOf: (item: T) => string,
  query: PageQuery,
  { mostChars = INPUT_LIMITS.pageChars, order = BY_KEY }: { mostChars?: number; order?: PageOrder } = {},
): Page<string> | Failure {
  const page = pageOf(all, keyOf, query, order);
  if (page.kind === 'failure') return page;
  const texts: string[] = [];
  let chars = 0;
  for (const [index, item] of page.items.entries()) {
    const text = textOf(item);
    texts.push(text);
    chars += text.length;
    if (chars > mostChars && index + 1 < page.items.length) {
      return { kind: 'page', items: texts, nextCursor: encode(keyOf(item), order) };
    }
  }
  return { kind: 'page', items: texts, nextCursor: page.nextCursor };
}

/** The fault of a cursor that does not belong to the request. */
export const NOT_A_CURSOR = 'is not a cursor of this list; send the `next_cursor` of a page with the same filters';

function encode(key: string, { name }: PageOrder): string {
  return Buffer.from(name === '' ? key : `${name}\0${key}`).toString('base64url');
}

function decode(cursor: string, order: PageOrder): string | undefined {
  const text = Buffer.from(cursor, 'base64url').toString();
  const key = order.name === '' ? text : text.slice(order.name.length + 1);
  return key !== '' && encode(key, order) === cursor ? key : undefined;
}
