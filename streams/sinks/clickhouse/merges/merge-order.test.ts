import { describe, expect, it } from 'vitest';
import type { PendingMerge } from '../../../../clickhouse-schema/rows/moved-rows.ts';
import { appliedTogether, waitsFor } from './merge-order.ts';

const MOST = { most: 10, nameBytes: 1_000 };

/** `g>a` is a merge, `g<a` its take-back; they stand in the log as they are listed, from 1. */
const merges = (...all: string[]): PendingMerge[] =>
  all.map((text, at) => {
    const [guest = '', account = ''] = text.split(/[<>]/);
    return {
      game: 'demo',
      environment: 'live',
      playerId: guest,
      externalId: guest,
      into: { playerId: account, externalId: account },
      mergeId: text,
      at: 0,
      receivedAt: 0,
      isUndone: text.includes('<'),
      createdMs: 1,
      sequence: at + 1,
      index: 0,
    };
  });
const taken = (all: readonly PendingMerge[], ...rest: [Parameters<typeof appliedTogether>[1]?]) =>
  appliedTogether(all, rest[0] ?? [], MOST).map(({ mergeId }) => mergeId);

describe('merges that are applied together', () => {
  it.each([
    { what: 'those of different players', pending: ['g>a', 'h>b'], now: ['g>a', 'h>b'] },
    { what: 'guests of one account', pending: ['g>a', 'h>a'], now: ['g>a', 'h>a'] },
    { what: 'the first of a chain', pending: ['g>h', 'h>a'], now: ['g>h'] },
    { what: 'none of a chain behind one that waits', pending: ['g>h', 'h>a', 'a>b', 'x>y'], now: ['g>h', 'x>y'] },
    { what: 'an account’s merge, and then not that of its guest', pending: ['h>a', 'g>h'], now: ['h>a'] },
    { what: 'no take-back with a merge', pending: ['g>a', 'h<b', 'i>c'], now: ['g>a', 'i>c'] },
    { what: 'take-backs', pending: ['g<a', 'h<a', 'g>b'], now: ['g<a', 'h<a'] },
    { what: 'a merge before its take-back', pending: ['g>a', 'g<a', 'g>a'], now: ['g>a'] },
  ])('$what', ({ pending, now }) => expect(taken(merges(...pending))).toEqual(now));

  it('are as many as fit a statement', () => {
    const all = merges('g>a', 'h>b', 'i>c');
    expect(appliedTogether(all, [], { ...MOST, most: 2 })).toHaveLength(2);
    // Each name takes three bytes, with its quotes.
    expect(appliedTogether(all, [], { ...MOST, nameBytes: 8 })).toHaveLength(2);
    expect(appliedTogether(all, [], { ...MOST, nameBytes: 1 })).toHaveLength(1);
  });

  it('are of one FACTS', () => {
    const [one, other] = merges('g>a', 'h>b');
    expect(taken([one!, { ...other!, createdMs: 2 }])).toEqual(['g>a']);
  });

  it('wait for earlier erasures of their players, and later merges with them', () => {
    const erasure = { createdMs: 1, sequence: 1, index: 0, players: ['a'] };
    const [, ...pending] = merges('', 'g>a', 'a>b', 'h>c');
    expect(taken(pending, [erasure])).toEqual(['h>c']);
    expect(taken(pending, [{ ...erasure, sequence: 9 }])).toEqual(['g>a', 'h>c']);
  });
});

it('an erasure waits for earlier merges of its player, by creation, record and index', () => {
  const [merge] = merges('g>a');
  const unfinished = [{ ...merge!, players: ['g', 'a'] }];
  const place = { createdMs: 1, sequence: 1, index: 0 };
  expect(waitsFor(unfinished, { ...place, index: 1 }, ['a'])).toBe(true);
  expect(waitsFor(unfinished, { ...place, createdMs: 2, sequence: 0 }, ['g'])).toBe(true);
  expect(waitsFor(unfinished, place, ['a'])).toBe(false);
  expect(waitsFor(unfinished, { ...place, createdMs: 0, sequence: 9 }, ['a'])).toBe(false);
  expect(waitsFor(unfinished, { ...place, index: 1 }, ['x'])).toBe(false);
});
