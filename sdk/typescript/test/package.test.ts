import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { afterAll, describe, expect, it } from 'vitest';
import { GENERATED_FILES, generatedText } from '../scripts/generate-operations.ts';

/* The package as others get it: its types, its build, its size. */

const PACKAGE = fileURLToPath(new URL('..', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'player-analytics-sdk-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** What the page's excerpts take for granted. */
const BEFORE_EXCERPTS = `
import { createGame } from '@player-analytics/sdk';
declare const baseUrl: string;
declare const key: string;
declare const player: string;
declare const AsyncStorage: {
  getItem(key: string): Promise<string | null>;
  setItem(key: string, value: string): Promise<void>;
  removeItem(key: string): Promise<void>;
  getAllKeys(): Promise<readonly string[]>;
};
declare const AppState: {
  addEventListener(type: 'change', listener: (state: string) => void): { remove(): void };
};
`;

/** The text with the built files in place of the package's names. */
function installed(text: string): string {
  const { exports } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'));
  return text.replaceAll(/'@player-analytics\/sdk([^']*)'/g, (_, path: string) => {
    return `'${exports[`.${path}`].default}'`;
  });
}

describe('the package', () => {
  it('has the types of the routes as they are; `npm run generate` renews them', () => {
    for (const path of GENERATED_FILES) expect(generatedText(path)).toBe(readFileSync(path, 'utf8'));
  });

  it('has at most 14.5 KB for browsers, minified and compressed, and nothing of Node in it', async () => {
    const built = await build({
      configFile: false,
      logLevel: 'silent',
      root: PACKAGE,
      build: {
        write: false,
        minify: true,
        target: 'es2022',
        // Not as a library: for those Vite leaves white space in.
        rolldownOptions: { input: join(PACKAGE, 'src/game.ts'), preserveEntrySignatures: 'strict' },
      },
    });
    if (!('output' in built)) throw new Error('more than one bundle was built');
    const [chunk] = built.output;
    expect(chunk.imports).toEqual([]);
    expect(chunk.code).not.toMatch(/from\s*["']node:|require\(|process\./);
    expect(gzipSync(chunk.code, { level: 9 }).length).toBeLessThanOrEqual(14_500);
  });

  it('builds with the project compiler to modules that Node runs, with types', async () => {
    const dist = join(scratch, 'dist');
    const compiler = fileURLToPath(new URL('../../../node_modules/typescript/bin/tsc', import.meta.url));
    execFileSync(process.execPath, [compiler, '-p', join(PACKAGE, 'tsconfig.build.json'), '--outDir', dist]);
    const built: { createGame: (options: object) => object } = await import(
      pathToFileURL(join(dist, 'game-node.js')).href
    );
    expect(() => built.createGame({})).toThrow('baseUrl');
    // As another project would compile it.
    const [example = ''] = /```ts\n([^`]*)```/.exec(readFileSync(join(PACKAGE, 'README.md'), 'utf8'))?.slice(1) ?? [];
    expect(example).toContain('createGame');
    const consumer = join(scratch, 'consumer.mts');
    writeFileSync(consumer, installed(example));
    const tsExcerpts = (page: string) =>
      [...readFileSync(join(PACKAGE, '../..', page), 'utf8').matchAll(/```ts\n([^`]*)```/g)].map(
        ([, text = '']) => text,
      );
    const texts = [...tsExcerpts('README.md'), ...tsExcerpts('docs/sdk.md').map((text) => BEFORE_EXCERPTS + text)];
    const excerpts = texts.map((text, index) => {
      const file = join(scratch, `excerpt-${index}.mts`);
      writeFileSync(file, installed(text));
      return file;
    });
    expect(excerpts.length).toBeGreaterThan(3);
    symlinkSync(join(PACKAGE, '../../node_modules'), join(scratch, 'node_modules'));
    const options = [
      '--ignoreConfig',
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      'false',
      '--target',
      'es2022',
      '--module',
      'nodenext',
      '--lib',
      'es2022,dom',
    ];
    execFileSync(process.execPath, [compiler, ...options, '--types', '', consumer, ...excerpts], { encoding: 'utf8' });
  });
});
