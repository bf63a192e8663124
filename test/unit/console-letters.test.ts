import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/* Screens are read as text: the file imports React, which this project does not compile. */

const source = readFileSync(new URL('../../console/src/screens.ts', import.meta.url), 'utf8');
const entries = source.split('\n').filter((line) => line.startsWith("  { section: '"));
const letters = entries.map((line) => line.split("letter: '")[1]?.[0]);

it('gives every entry of the navigation a letter of its own for `g`', () => {
  expect(entries.length).toBeGreaterThan(15);
  expect(letters.filter((letter, place) => letters.indexOf(letter) !== place)).toEqual([]);
  // `g g` would begin again.
  expect(letters.every((letter) => letter !== undefined && letter !== 'g' && letter >= 'a' && letter <= 'z')).toBe(
    true,
  );
});
