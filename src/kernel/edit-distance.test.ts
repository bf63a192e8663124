import { describe, expect, it } from 'vitest';
import { editDistance, nearest } from './edit-distance.ts';

describe('the distance of two texts', () => {
  it.each([
    ['level', 'level', 0],
    ['levle', 'level', 2],
    ['level', 'levels', 1],
    ['', 'ab', 2],
    ['kitten', 'sitting', 3],
  ])('%s and %s: %i', (one, other, distance) => {
    expect(editDistance(one, other, 5)).toBe(distance);
    expect(editDistance(other, one, 5)).toBe(distance);
  });

  it('is not computed beyond the bound', () => expect(editDistance('abcdefgh', 'ijklmnop', 2)).toBe(3));
});

describe('the nearest names', () => {
  it('come first, and differ in a third of their characters at most', () => {
    const known = ['level_up', 'level_failed', 'levelfailed', 'Level_Failed', 'shop'];
    expect(nearest('level_faild', known, 3)).toEqual(['Level_Failed', 'level_failed', 'levelfailed']);
    expect(nearest('x', known, 3)).toEqual([]);
  });
});
