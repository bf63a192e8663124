import { expect, it } from 'vitest';
import { namesSegments, readable } from './readable.ts';

const KEYS = new Map([['seg_019b-1', 'regulars']]);

it.each([
  ['Rule 1, segment id: none → “seg_019b-1”', 'Rule 1, segment id: none → “regulars”'],
  ['Conditions, $inSegment: added “seg_019b-1”, “seg_gone”', 'Conditions, $inSegment: added “regulars”, “seg_gone”'],
  ['End at: none → 2026-01-15T10:30:00.000Z', 'End at: none → 2026-01-15 07:30 GMT-3'],
  ['Start at: 2026-99-99T10:30:00.000Z → none', 'Start at: 2026-99-99T10:30:00.000Z → none'],
  ['Rule 1: 20 % → 100 %', 'Rule 1: 20 % → 100 %'],
])('shows %s as %s', (line, shown) => {
  expect(readable(line, KEYS, 'America/Sao_Paulo')).toBe(shown);
});

it('knows whether a text names segments', () => {
  expect([namesSegments('Rule 1, segment id: none → “seg_1”'), namesSegments('Note: none → “segment”')]).toEqual([
    true,
    false,
  ]);
});
