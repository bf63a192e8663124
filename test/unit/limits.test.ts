import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../core/kernel/limits.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const areas = globSync('core/kernel/limits/*.ts', { cwd: ROOT });
const namesOf = (file: string) =>
  [...readFileSync(join(ROOT, file), 'utf8').matchAll(/^ {2}(\w+):/gm)].map((match) => match[1] ?? '');

describe('the bounds of the service', () => {
  it('belong to exactly one area each', () => {
    const names = areas.flatMap(namesOf);
    expect(names.length).toBeGreaterThan(300);
    expect(names.toSorted()).toEqual(Object.keys(LIMITS).toSorted());
  });

  it('are all in use', () => {
    const used = execFileSync(
      'git',
      ['grep', '-hoiE', 'limits\\.\\w+', '--', 'src', 'actors', 'streams', 'clickhouse-schema', 'core'],
      {
        cwd: ROOT,
        encoding: 'utf8',
      },
    );
    const inUse = new Set(used.split('\n').map((name) => name.slice('limits.'.length)));
    expect(Object.keys(LIMITS).filter((name) => !inUse.has(name))).toEqual([]);
  });

  it('give their reason in a comment, which neighbours of one subject share', () => {
    for (const file of areas) {
      const lines = readFileSync(join(ROOT, file), 'utf8').split('\n');
      const unexplained = lines.filter(
        (line, index) => /^ {2}\w+:/.test(line) && (lines[index - 1] ?? '').trim() === '',
      );
      expect({ file, unexplained }).toEqual({ file, unexplained: [] });
    }
  });
});
