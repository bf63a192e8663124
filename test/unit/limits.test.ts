import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, sources } from '../support/own-imports.ts';

/* Each folder states the bounds that it enforces, with their reasons, in its own `limits.ts`. */

const SHARED = ['core/kernel/limits.ts', 'core/kernel/text/limits.ts', 'core/vocabulary/limits.ts'];
/** Bounds that several folders share, in all. */
const MOST_SHARED = 50;

const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const folderOf = (file: string) => file.slice(0, file.lastIndexOf('/'));
const namesIn = (text: string) => [...text.matchAll(/^ {2}(\w+):/gm)].map((match) => match[1] ?? '');

const homes = sources
  .filter((file) => file.endsWith('/limits.ts'))
  .map((file) => {
    const text = textOf(file);
    const constant = /^export const (\w+_LIMITS) = \{$/m.exec(text)?.[1];
    // A comment and the bounds below it, up to the next comment.
    const groups = text.split(/^ {2}\/\*\*/m).map(namesIn);
    return { file, folder: folderOf(file), text, constant, groups: groups.filter((names) => names.length > 0) };
  });

/** The folders of the files that use a bound or name a whole constant, tests left out. */
const users = new Map<string, Set<string>>();
for (const file of sources.filter((each) => !each.endsWith('/limits.ts'))) {
  const text = textOf(file);
  const used = [...text.matchAll(/\b\w*limits\.(\w+)/gi), ...text.matchAll(/\b(\w+_LIMITS)\b(?!\.)/g)];
  const options = /limits/i.test(text) ? text.matchAll(/(?:'|[{,] *)(\w+)\b/g) : [];
  for (const [, name = ''] of [...used, ...options]) {
    users.set(name, (users.get(name) ?? new Set()).add(folderOf(file)));
  }
}
const isIn = (folder: string) => (each: string) => `${each}/`.startsWith(`${folder}/`);
const foldersOf = (names: readonly string[]) => new Set(names.flatMap((name) => [...(users.get(name) ?? [])]));

describe('the bounds of the service', () => {
  it('stand in one constant for each folder, of a name of its own', () => {
    const constants = homes.map(({ constant }) => constant);
    expect(constants.length).toBeGreaterThan(60);
    expect(constants).not.toContain(undefined);
    expect(new Set(constants).size).toBe(constants.length);
  });

  it('have one name each', () => {
    const names = homes.flatMap(({ groups }) => groups.flat());
    expect(names.length).toBeGreaterThan(600);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it('are all in use', () => {
    const names = homes.flatMap(({ groups }) => groups.flat());
    expect(names.filter((name) => foldersOf([name]).size === 0)).toEqual([]);
  });

  it('stand in the folder that uses them', () => {
    const own = homes.filter(({ file }) => !SHARED.includes(file));
    const misplaced = own.flatMap(({ file, folder, groups, constant = '' }) =>
      groups
        .filter((names) => ![...foldersOf([...names, constant])].some(isIn(folder)))
        .map((names) => `${file}: ${names.join(', ')}`),
    );
    expect(misplaced).toEqual([]);
  });

  it('are shared only where several folders need them', () => {
    const shared = homes.filter(({ file }) => SHARED.includes(file));
    expect(shared.flatMap(({ groups }) => groups.flat()).length).toBeLessThanOrEqual(MOST_SHARED);
    const ofOne = shared.flatMap(({ folder, groups }) =>
      groups.filter((names) => foldersOf(names).size < 2 && ![...foldersOf(names)].some(isIn(folder))),
    );
    expect(ofOne).toEqual([]);
  });

  it('give their reason in a comment, which neighbours of one subject share', () => {
    for (const { file, text } of homes) {
      const lines = text.split('\n');
      const unexplained = lines.filter(
        (line, index) => /^ {2}\w+:/.test(line) && /^$|\{$/.test((lines[index - 1] ?? '').trim()),
      );
      expect({ file, unexplained }).toEqual({ file, unexplained: [] });
    }
  });
});
