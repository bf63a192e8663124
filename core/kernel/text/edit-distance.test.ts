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

  it('is that of the whole matrix, whatever the bound', () => {
    const letters = 'aab';
    let seed = 7;
    const text = () => {
      let made = '';
      for (let length = (seed = (seed * 16_807) % 2_147_483_647) % 9; length > 0; length--) {
        made += letters[(seed = (seed * 16_807) % 2_147_483_647) % 3] ?? '';
      }
      return made;
    };
    for (let n = 0; n < 200; n++) {
      const [one, other] = [text(), text()];
      for (let most = 0; most < 10; most++) {
        expect(editDistance(one, other, most), `${one} ${other}`).toBe(Math.min(whole(one, other), most + 1));
      }
    }
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

function whole(one: string, other: string): number {
  if (one === '' || other === '') return one.length + other.length;
  const replaced = whole(one.slice(1), other.slice(1)) + (one[0] === other[0] ? 0 : 1);
  return one[0] === other[0]
    ? replaced
    : Math.min(replaced, whole(one.slice(1), other) + 1, whole(one, other.slice(1)) + 1);
}
