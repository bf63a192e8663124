import { describe, expect, it } from 'vitest';
import { isFound, labelsOf, managedIn, NO_LABELS, tagsOf } from './labels.ts';

const SHOP = { key: 'shop_v2', name: 'Shop', description: 'The new one', owner: 'Economy', tags: ['q1', 'prices'] };

describe('a definition is found', () => {
  it.each(['SHOP_v', 'new one', 'economy', 'pric', ' shop ', ''])('by %j', (search) => {
    expect(isFound(SHOP, search, '')).toBe(true);
  });

  it.each(['shop economy', 'q1prices', 'guild'])('not by %j', (search) => {
    expect(isFound(SHOP, search, '')).toBe(false);
  });

  it('by a whole tag only, and by text and tag together', () => {
    expect(['q1', 'q', 'prices', 'Q1'].map((tag) => isFound(SHOP, '', tag))).toEqual([true, false, true, false]);
    expect([isFound(SHOP, 'shop', 'q1'), isFound(SHOP, 'guild', 'q1'), isFound(SHOP, 'shop', 'q2')]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('without a description', () => {
    const { description: _, ...campaign } = SHOP;
    expect([isFound(campaign, 'undefined', ''), isFound(campaign, 'economy', '')]).toEqual([false, true]);
  });
});

it('offers each tag once in order, and the chosen one also when no definition has it', () => {
  const all = [SHOP, { tags: ['äpfel', 'prices'] }, { tags: [] }];
  expect(tagsOf(all, '')).toEqual(['äpfel', 'prices', 'q1']);
  expect(tagsOf(all, 'gone')).toEqual(['äpfel', 'gone', 'prices', 'q1']);
  expect(tagsOf([], '')).toEqual([]);
});

it('reads labels of a document that is not finished', () => {
  expect(labelsOf({})).toEqual(NO_LABELS);
  expect(labelsOf({ owner: null, tags: ['a', 1, null], note: 5 })).toEqual({ ...NO_LABELS, tags: ['a'] });
  expect(labelsOf({ ...SHOP, note: 'n' })).toEqual({ owner: 'Economy', tags: ['q1', 'prices'], note: 'n' });
});

describe('what manages a definition', () => {
  it('is named, and whether the last change was made elsewhere', () => {
    expect(managedIn({ version: 3, managed_by: { by: 'git', version: 3 } })).toEqual({ by: 'git', isElsewhere: false });
    expect(managedIn({ version: 4, managed_by: { by: 'git', version: 3 } })).toEqual({ by: 'git', isElsewhere: true });
  });

  it.each([{ version: 1 }, { version: 1, managed_by: null }, { version: 1, managed_by: {} }])(
    'is nothing in %j',
    (definition) => {
      expect(managedIn(definition)).toBeUndefined();
    },
  );
});
