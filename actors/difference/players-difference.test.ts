import { describe, expect, it } from 'vitest';
import { playersWords } from './players-difference.ts';

const exact = (count: number) => ({ players: count, margin: 0, complete: true });
const about = (count: number, margin: number) => ({ players: count, margin, complete: false });

describe('the words for players', () => {
  it.each([
    [exact(12), exact(0), '12 more players'],
    [exact(0), exact(1_234), '1,234 fewer players'],
    [exact(3), exact(4), '3 more and 4 fewer players'],
    [exact(0), exact(0), undefined],
    [undefined, undefined, undefined],
    [about(4_031, 120), about(0, 3), 'about 4,000 more players (sampled)'],
    [about(4_031, 120), about(951, 60), 'about 4,000 more and about 950 fewer players (sampled)'],
    // It may as well be nothing.
    [about(40, 60), about(0, 3), undefined],
  ])('%j and %j', (more, fewer, words) => {
    expect(playersWords(more, fewer)).toBe(words);
  });
});
