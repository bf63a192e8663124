import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, matchesGlob, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import config from '../../vitest.config.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** The project's files as git sees them, new ones included. */
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(ROOT, file)));
const sources = files.filter((file) => file.endsWith('.ts') && !isTest(file));

function isTest(file: string): boolean {
  return file.endsWith('.test.ts') || /^(sdk\/\w+\/)?test\//.test(file) || file.endsWith('/testing.ts');
}

interface Import {
  from: string;
  to: string;
  typeOnly: boolean;
}

/** Imports of project files; packages and Node's own modules are left out. */
function importsOf(file: string): Import[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const found: Import[] = [];
  for (const match of text.matchAll(/^(?:import|export)\s+(type\s)?[^'";]*?from\s+'(\.[^']+)'/gm)) {
    const to = relative(ROOT, resolve(ROOT, dirname(file), match[2] ?? ''));
    const names =
      /\{([^}]*)\}/
        .exec(match[0])?.[1]
        ?.split(',')
        .map((name) => name.trim()) ?? [];
    const allTypes = names.length > 0 && names.every((name) => name === '' || name.startsWith('type '));
    found.push({ from: file, to, typeOnly: match[1] !== undefined || allTypes });
  }
  return found;
}

const imports = sources.flatMap(importsOf);
const show = (found: Import[]) => found.map(({ from, to }) => `${from} → ${to}`);
const isRuntime = (file: string) => file.startsWith('actors/runtime/');
/** What the ClickHouse schema implements for the owners. */
const PORTS: ReadonlySet<string> = new Set(
  ['snapshot-source', 'event-history'].map((port) => `actors/runtime/store/${port}.ts`),
);
const isVocabulary = (file: string) => file.startsWith('core/vocabulary/');
const isDomain = (file: string) => file.startsWith('actors/') && !isRuntime(file);

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

describe('imports go one way', () => {
  it('the search for imports finds some', () => {
    expect(imports.length).toBeGreaterThan(50);
  });

  it('core/kernel imports nothing of the project', () => {
    const wrong = imports.filter(({ from, to }) => from.startsWith('core/kernel/') && !to.startsWith('core/kernel/'));
    expect(show(wrong)).toEqual([]);
  });

  it('the vocabulary imports the kernel and itself only', () => {
    const wrong = imports.filter(
      ({ from, to }) => isVocabulary(from) && !to.startsWith('core/kernel/') && !isVocabulary(to),
    );
    expect(show(wrong)).toEqual([]);
  });

  it('domains import the kernel, the vocabulary and other domains only', () => {
    const wrong = imports.filter(({ from, to }) => isDomain(from) && !to.startsWith('core/kernel/') && !isDomain(to));
    expect(show(wrong)).toEqual([]);
  });

  it('the runtime imports the kernel, the domains and the log, but neither gateway nor sinks', () => {
    const wrong = imports.filter(
      ({ from, to }) =>
        isRuntime(from) &&
        !to.startsWith('core/kernel/') &&
        !to.startsWith('actors/') &&
        (!to.startsWith('streams/') || to.startsWith('streams/sinks/')),
    );
    expect(show(wrong)).toEqual([]);
  });

  it('streams import the kernel and the vocabulary, and never a domain, the runtime, the gateway or the API', () => {
    const wrong = imports.filter(
      ({ from, to }) =>
        from.startsWith('streams/') &&
        ((to.startsWith('actors/') && !isVocabulary(to)) || to.startsWith('src/gateway/') || to.startsWith('src/api/')),
    );
    expect(show(wrong)).toEqual([]);
  });

  it('gateway and API import neither the sinks nor the runtime', () => {
    const wrong = imports.filter(
      ({ from, to }) => /^src\/(gateway|api)\//.test(from) && (to.startsWith('streams/sinks/') || isRuntime(to)),
    );
    expect(show(wrong)).toEqual([]);
  });

  it('the ClickHouse schema imports neither gateway nor sinks, and of the runtime only its ports', () => {
    const wrong = imports.filter(
      ({ from, to }) =>
        from.startsWith('clickhouse-schema/') &&
        (/^src\/(gateway|api|local|cli)\//.test(to) ||
          to.startsWith('streams/sinks/') ||
          (isRuntime(to) && !PORTS.has(to))),
    );
    expect(show(wrong)).toEqual([]);
  });

  it('the audit imports of the service only the codec of records, so that both do not err alike', () => {
    const ofAudit = imports.filter(
      ({ from, to }) => from.startsWith('src/cli/audit/') && !to.startsWith('src/cli/audit/'),
    );
    expect([...new Set(ofAudit.map(({ to }) => to))]).toEqual(['core/codec/codec.ts']);
  });

  it('the client packages import nothing of the service', () => {
    const wrong = imports.filter(({ from, to }) => /^sdk\/\w+\/src\//.test(from) && !to.startsWith('sdk/'));
    expect(imports.some(({ from }) => from.startsWith('sdk/'))).toBe(true);
    expect(show(wrong)).toEqual([]);
  });

  it('the client of game servers imports of the service what evaluates flags, and no other part imports it', () => {
    const ofServer = (file: string) => /^sdk\/\w+\/server\//.test(file);
    const wrong = imports.filter(
      ({ from, to }) =>
        (ofServer(from) && !to.startsWith('sdk/') && !to.startsWith('core/kernel/') && !isDomain(to)) ||
        (ofServer(to) && !/^(sdk|bench)\//.test(from)) ||
        (ofServer(to) && /^sdk\/\w+\/src\//.test(from)),
    );
    expect(imports.some(({ from }) => ofServer(from))).toBe(true);
    expect(show(wrong)).toEqual([]);
  });

  it('only main.ts, the local services and the command line read the configuration', () => {
    const wrong = imports.filter(
      ({ from, to, typeOnly }) =>
        to === 'src/settings/config.ts' &&
        !typeOnly &&
        !/^(src\/(main|sinks-thread|local|cli)|bench\/|clickhouse-schema\/embedded\/main)/.test(from),
    );
    expect(show(wrong)).toEqual([]);
  });
});

describe('the house is tidy', () => {
  const texts = sources.map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }));

  it('only src/settings/config.ts and code that starts processes or loads a native library use the environment', () => {
    const allowed = /^(src\/(config|cli|local|scoring\/onnx-runtime)|bench\/|clickhouse-schema\/embedded\/)/;
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

  it('no default exports, no barrels, no utils', () => {
    const wrong = texts.filter(
      ({ file, text }) =>
        (/^export default/m.test(text) && file !== 'vitest.config.ts') || /(^|\/)(index|utils)\.ts$/.test(file),
    );
    expect(wrong.map(({ file }) => file)).toEqual([]);
  });

  it('the top level has the agreed folders and documents', () => {
    const top = new Set(files.map((file) => file.split('/')[0] ?? ''));
    for (const name of ['src', 'actors', 'streams', 'clickhouse-schema', 'models', 'bench', 'test', 'docs'])
      expect(top).toContain(name);
    for (const name of ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'LICENSE']) {
      expect(top).toContain(name);
    }
  });
});
