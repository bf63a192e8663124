import { describe, expect, it } from 'vitest';
import { jsonChanges, mergeFields, pathText } from '../../console/src/parts/drafts/json-changes.ts';

const shown = (before: unknown, after: unknown) =>
  jsonChanges(before, after).map(({ path, kind, ...values }) => [pathText(path), kind, values]);

describe('changes between two documents', () => {
  it('are named field by field', () => {
    expect(
      shown(
        { name: 'Shop', enabled: true, rules: [{ rollout: 10 }], old: 1 },
        { name: 'Shop', enabled: false, rules: [{ rollout: 20 }, { value: 'b' }], tags: ['x'] },
      ),
    ).toEqual([
      ['enabled', 'changed', { before: true, after: false }],
      ['rules[0].rollout', 'changed', { before: 10, after: 20 }],
      ['rules[1]', 'added', { after: { value: 'b' } }],
      ['old', 'removed', { before: 1 }],
      ['tags', 'added', { after: ['x'] }],
    ]);
  });

  it('follow items of lists by their key', () => {
    const variants = [
      { key: 'a', weight: 50 },
      { key: 'b', weight: 50 },
    ];
    expect(shown({ variants }, { variants: [{ key: 'b', weight: 30 }] })).toEqual([
      ['variants.a', 'removed', { before: { key: 'a', weight: 50 } }],
      ['variants.b.weight', 'changed', { before: 50, after: 30 }],
    ]);
    expect(shown({ variants }, { variants: variants.toReversed() })).toMatchObject([['variants', 'changed', {}]]);
  });

  it('ignore the order of keys', () => {
    expect(shown({ a: 1, b: { c: 1, d: 2 } }, { b: { d: 2, c: 1 }, a: 1 })).toEqual([]);
  });
});

describe('a merge of two edits', () => {
  it('names the fields that one side changed, and those that both changed differently', () => {
    const base = { a: 1, b: 1, c: 1, d: 1, e: 1 };
    const mine = { a: 2, b: 1, c: 2, d: 2, e: 1 };
    const theirs = { a: 1, b: 2, c: 2, d: 3, e: 1 };
    expect(mergeFields(base, mine, theirs).map(({ name, kind }) => [name, kind])).toEqual([
      ['a', 'mine'],
      ['b', 'theirs'],
      ['c', 'same'],
      ['d', 'conflict'],
    ]);
  });
});
