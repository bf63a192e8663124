import { readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { describe, expect, it } from 'vitest';
import config from '../../vitest.config.ts';
import { ROOT, files, imports, sources, type Import } from '../support/own-imports.ts';

const show = (found: readonly Import[]) => found.map(({ from, to }) => `${from} → ${to}`);
const isDomain = (file: string) => file.startsWith('actors/') && !file.startsWith('actors/runtime/');

const LONGEST_LINE = 120;

/**
 * The lines of prose that are too long: comments, Markdown outside of tables and code blocks, all of Python, and texts
 * in quotes without the code around them. Lines with a URL are left out, because a URL cannot be broken.
 */
function longProse(file: string): string[] {
  const isMarkdown = file.endsWith('.md');
  const isPython = file.endsWith('.py');
  let isCode = false;
  return readFileSync(join(ROOT, file), 'utf8')
    .split('\n')
    .flatMap((line, index) => {
      if (isMarkdown && line.trimStart().startsWith('```')) isCode = !isCode;
      const isText = isMarkdown ? !isCode && !line.startsWith('|') : isPython || isComment(line);
      const length = isText ? line.length : isMarkdown ? 0 : longestSentence(line);
      const isLong = length > LONGEST_LINE && !/https?:|oxlint-disable/.test(line);
      return isLong ? [`${file}:${index + 1} has ${length} characters`] : [];
    });
}

function isComment(line: string): boolean {
  return /^\s*(\/\*|\*|\/\/)|\s\/\/ /.test(line);
}

/**
 * Characters of the longest quoted sentence, without inserted values: six words or more, not SQL, not a list of names.
 */
function longestSentence(line: string): number {
  const texts = [...line.matchAll(/'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|`([^`]*)`?/g)].map(([text]) => text);
  const sentences = texts.filter((text) => /^.(?!SELECT|WITH|CREATE|INSERT|[a-zA-Z_ ]+.$)(?:\S+ ){5}/.test(text));
  return Math.max(0, ...sentences.map((text) => text.replaceAll(/\$\{[^}]*\}/g, '').length - 2));
}

describe('imports of what stands beside the service', () => {
  it('the client packages import nothing of the service', () => {
    const wrong = imports.filter(({ from, to }) => /^sdk\/\w+\/src\//.test(from) && !to.startsWith('sdk/'));
    expect(imports.some(({ from }) => from.startsWith('sdk/'))).toBe(true);
    expect(show(wrong)).toEqual([]);
  });

  it('the client of game servers imports of the service what evaluates flags, and no other part imports it', () => {
    const ofServer = (file: string) => /^sdk\/\w+\/server\//.test(file);
    const wrong = imports.filter(
      ({ from, to }) =>
        (ofServer(from) && !to.startsWith('sdk/') && !to.startsWith('core/') && !isDomain(to)) ||
        (ofServer(to) && !/^(sdk|bench)\//.test(from)) ||
        (ofServer(to) && /^sdk\/\w+\/src\//.test(from)),
    );
    expect(imports.some(({ from }) => ofServer(from))).toBe(true);
    expect(show(wrong)).toEqual([]);
  });

  it('only the parts of a process, the local services and the command line read the configuration', () => {
    const wrong = imports.filter(
      ({ from, to, typeOnly }) =>
        to === 'src/settings/config.ts' &&
        !typeOnly &&
        !/^(src\/(main|parts|process\/sinks-thread|settings|local|cli)|bench\/)/.test(from),
    );
    expect(show(wrong)).toEqual([]);
  });
});

describe('the house is tidy', () => {
  const texts = sources.map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }));

  it('only src/settings/config.ts and code that starts processes or loads a native library use the environment', () => {
    const allowed = /^(src\/(settings\/config|cli|local|scoring\/onnx-runtime)|bench\/|console\/|deploy\/examples\/)/;
    const wrong = texts.filter(({ file, text }) => text.includes('process.env') && !allowed.test(file));
    expect(wrong.map(({ file }) => file)).toEqual([]);
  });

  it('actors and streams get clock, ids and randomness as arguments', () => {
    const wrong = texts.filter(
      ({ file, text }) =>
        /^(actors|streams)\//.test(file) &&
        /Date\.now\(|Math\.random\(|randomUUID\(|\bsetTimeout\(|\bsetInterval\(/.test(text),
    );
    expect(wrong.map(({ file }) => file)).toEqual([]);
  });

  it('no file has more than 350 lines', () => {
    const written = texts.filter(({ file }) => !file.includes('/generated/'));
    const long = written.filter(({ text }) => text.split('\n').length > 350);
    expect(long.map(({ file }) => file)).toEqual([]);
  });

  it('no test file has more than 500 lines', () => {
    const tests = files.filter((file) => file.endsWith('.test.ts'));
    const long = tests.filter((file) => readFileSync(join(ROOT, file), 'utf8').split('\n').length > 501);
    expect(long).toEqual([]);
  });

  it('every test file belongs to a project of the test run', () => {
    const patterns = (config.test?.projects ?? []).flatMap((project) =>
      typeof project === 'object' && 'test' in project ? (project.test?.include ?? []) : [],
    );
    const tests = files.filter((file) => file.endsWith('.test.ts'));
    expect(tests.filter((file) => !patterns.some((pattern) => matchesGlob(file, pattern)))).toEqual([]);
  });

  it('no line of prose has more than 120 characters', () => {
    const written = files.filter((file) => /\.(ts|md|py)$/.test(file) && !file.includes('/fixtures/'));
    expect(written.length).toBeGreaterThan(500);
    expect(written.flatMap(longProse)).toEqual([]);
  });

  it('comments and documents name only files that exist', () => {
    const known = files.map((file) => `/${file}`);
    const isPart = (path: string) => known.some((file) => file.endsWith(`/${path}`));
    const wrong = files
      .filter((file) => /\.(tsx?|sql|md)$/.test(file) && !file.endsWith('.test.ts'))
      .flatMap((file) => {
        const lines = readFileSync(join(ROOT, file), 'utf8')
          .split('\n')
          .filter((line) => !/ from '|import/.test(line));
        const named = lines.join('\n').match(/(?<![\w./@{},*-])(?:[\w-]+\/)+[\w.-]+\.(?:tsx?|sql|md)\b/g) ?? [];
        return named.filter((path) => !isPart(path)).map((path) => `${file} names ${path}`);
      });
    expect(wrong).toEqual([]);
  });

  it('no default exports, no barrels, no utils', () => {
    const wrong = texts.filter(
      ({ file, text }) =>
        (/^export default/m.test(text) && file !== 'vitest.config.ts') || /(^|\/)(index|utils)\.ts$/.test(file),
    );
    expect(wrong.map(({ file }) => file)).toEqual([]);
  });

  it('the top level has the agreed folders and documents', () => {
    const top = new Set(files.map((file) => file.split('/')[0] ?? ''));
    for (const name of ['src', 'actors', 'streams', 'clickhouse-schema', 'core', 'models', 'bench', 'test', 'docs'])
      expect(top).toContain(name);
    for (const name of ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'LICENSE']) {
      expect(top).toContain(name);
    }
  });
});
