import { array, assert, integer, property, string, uniqueArray } from 'fast-check';
import { expect, it } from 'vitest';
import { INPUT_LIMITS } from './limits.ts';
import { pageOf, textPageOf, type Page } from './paging.ts';

const page = (all: readonly string[], query: { limit?: number; cursor?: string }): Page<string> => {
  const found = pageOf(all, (item) => item, query);
  if (found.kind === 'failure') throw new Error(found.message);
  return found;
};

/** All items, page by page. @param onPage is called between two pages */
function walk(
  all: readonly string[],
  limit: number,
  onPage: (items: string[]) => readonly string[] = () => all,
): string[] {
  const seen: string[] = [];
  for (let held = all, cursor: string | null = ''; cursor !== null;) {
    const { items, nextCursor }: Page<string> = page(held, { limit, ...(cursor === '' ? {} : { cursor }) });
    expect(items.length).toBeLessThanOrEqual(limit);
    if (nextCursor !== null) expect(items).toHaveLength(limit);
    seen.push(...items);
    held = onPage(items);
    cursor = nextCursor;
  }
  return seen;
}

const keys = uniqueArray(string({ minLength: 1, unit: 'grapheme' }).filter((key) => key.isWellFormed()));

it('pages contain every item once, ordered by key', () => {
  assert(
    property(keys, integer({ min: 1, max: 7 }), (all, limit) => {
      expect(walk(all, limit)).toEqual(all.toSorted((a, b) => (a < b ? -1 : 1)));
    }),
  );
});

it('adding or removing items between two pages neither hides nor repeats other items', () => {
  assert(
    property(keys, array(keys), integer({ min: 1, max: 7 }), (all, changes, limit) => {
      const others = changes.map((some) => some.filter((key) => !all.includes(key)));
      const seen = walk(all, limit, () => [...all, ...(others.pop() ?? [])]);
      expect(seen.filter((key) => all.includes(key))).toEqual(all.toSorted((a, b) => (a < b ? -1 : 1)));
    }),
  );
});

it.each(['', '=', 'not base64!', 'YQ==', '_w'])('a foreign cursor is refused: %j', (cursor) => {
  expect(pageOf(['a'], (item) => item, { cursor })).toMatchObject({
    code: 'VALIDATION_ERROR',
    details: { fields: [{ path: 'cursor' }] },
  });
});

it('a page has 50 items by default', () => {
  const all = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, '0'));
  expect(page(all, {}).items).toHaveLength(50);
});

it('a page of texts ends with the text that exceeds its size, and its cursor leads to the rest', () => {
  const all = ['a', 'b', 'c', 'd', 'e'];
  const half = 'x'.repeat(INPUT_LIMITS.pageChars / 2 + 1);
  const seen: string[][] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const query = cursor === undefined ? {} : { cursor };
    const found = textPageOf(
      all,
      (key) => key,
      (key) => key + half,
      query,
    );
    if (found.kind === 'failure') throw new Error(found.message);
    seen.push(found.items.map((text) => text.charAt(0)));
    cursor = found.nextCursor;
  }
  expect(seen).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
});

it('pages of a descending list contain every item once, and a cursor belongs to one order', () => {
  const down = { name: 'name desc', isDescending: true };
  assert(
    property(keys, integer({ min: 1, max: 7 }), (all, limit) => {
      const seen: string[] = [];
      for (let cursor: string | null | undefined; cursor !== null;) {
        const query = cursor === undefined ? { limit } : { limit, cursor };
        const found: ReturnType<typeof pageOf<string>> = pageOf(all, (item) => item, query, down);
        if (found.kind === 'failure') throw new Error(found.message);
        seen.push(...found.items);
        cursor = found.nextCursor;
        if (cursor === null) continue;
        const other = pageOf(all, (item) => item, { cursor }, { ...down, name: 'name asc' });
        expect(other).toMatchObject({ code: 'VALIDATION_ERROR' });
      }
      expect(seen).toEqual(all.toSorted((a, b) => (a > b ? -1 : 1)));
    }),
  );
});
