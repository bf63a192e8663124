import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/* What the project's own files import of each other, for tests of its structure. */

export const ROOT = resolve(import.meta.dirname, '../..');

/** The project's files as git sees them, new ones included. Paths are relative to the root. */
export const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(ROOT, file)));

/** TypeScript without tests. */
export const sources = files.filter((file) => /\.tsx?$/.test(file) && !isTest(file));

function isTest(file: string): boolean {
  return file.endsWith('.test.ts') || /^(sdk\/\w+\/)?test\//.test(file) || /\/testing(\/|-[\w-]+\.ts$)/.test(file);
}

export interface Import {
  from: string;
  to: string;
  typeOnly: boolean;
}

/** Imports of project files by files that are no tests; packages and Node's own modules are left out. */
export const imports: readonly Import[] = sources.flatMap(importsOf);

function importsOf(file: string): Import[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const found: Import[] = [];
  const targetOf = (path = '') => relative(ROOT, resolve(ROOT, dirname(file), path));
  for (const match of text.matchAll(/^(?:import|export)\s+(type\s)?[^'";]*?from\s+'(\.[^']+)'/gm)) {
    const names =
      /\{([^}]*)\}/
        .exec(match[0])?.[1]
        ?.split(',')
        .map((name) => name.trim()) ?? [];
    const allTypes = names.length > 0 && names.every((name) => name === '' || name.startsWith('type '));
    found.push({ from: file, to: targetOf(match[2]), typeOnly: match[1] !== undefined || allTypes });
  }
  for (const match of text.matchAll(/\bimport\('(\.[^']+)'\)/g)) {
    found.push({ from: file, to: targetOf(match[1]), typeOnly: false });
  }
  return found;
}
