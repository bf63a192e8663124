import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAst } from 'vitest/node';
import { isPlainObject } from '../../core/kernel/validation/plain-object.ts';
import { routes } from '../../src/api/routes.ts';
import { readConfig } from '../../src/settings/config.ts';
import { ATTACK_CHARACTERS, isLinearByConstruction, pumpsOf } from '../support/regex-shape.ts';

/*
 * The engine's regular expressions backtrack: over a text from outside one may take a square or an exponential of its
 * length, and stop the process. Every one of the product is held here in two ways: its shape shows that it is linear,
 * or somebody reviewed it; and it is attacked.
 */

/**
 * Expressions whose shape alone does not show it. Each with the reason why a search is linear, or its text is short.
 */
const REVIEWED: Readonly<Record<string, string>> = {
  // The text of a condition's or schema's pattern: `regexLength` characters at most.
  '/\\\\.|\\[(?:\\\\.|[^\\]\\\\])*\\]|\\{(?<least>\\d+)(?:,(?<most>\\d*))?\\}|./gs':
    'a pattern has at most 256 characters',
  '/^CREATE OR REPLACE VIEW (\\w+) AS$/m': 'the statements of our own views; a run of letters belongs to one line',
  '/\\b(?:FROM|JOIN) (\\w+)/g': 'the statements of our own views; a run of letters belongs to one `FROM`',
  '/\\{(\\w+)\\}/g': 'the paths of our own routes; a run of letters belongs to one `{`',
  '/\\n[ \\t]*\\n/': "the machine's own list of package sources; a run of blanks belongs to one line end",
  '/\\[A-Za-z0-9._-\\]\\{1,(\\d+)\\}\\$$/': 'the patterns of our own schemas; a run of digits belongs to one `{1,`',
  '/^\\d+$|\\[(?:\\d*|\\*)\\]$/': 'a part of a path of a webhook filter; a run of digits belongs to one `[`',
  '/^[\\p{Z}\\p{Cc}\\p{Cf}]+|[\\p{Z}\\p{Cc}\\p{Cf}]+$/gu': 'an id of at most 64 characters',
  '/Code: (\\d+)\\. DB::[\\s\\S]*/': "the engine's own error; a run of digits belongs to one `Code: `",
};

const ROOT = resolve(import.meta.dirname, '../..');

interface Found {
  source: string;
  flags: string;
  where: string;
}

/** Every regular expression of the product's code, and calls that make one of a text. */
function inProduct(): { literals: Found[]; made: string[] } {
  const files = execFileSync(
    'git',
    ['ls-files', '--cached', '--others', '--exclude-standard', 'src', 'actors', 'streams', 'clickhouse-schema', 'core'],
    {
      cwd: ROOT,
      encoding: 'utf8',
    },
  )
    .split('\n')
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !/\/testing-[\w-]+\.ts$/.test(file))
    .filter((file) => existsSync(join(ROOT, file)));
  const literals: Found[] = [];
  const made: string[] = [];
  for (const file of files) {
    const code = stripTypeScriptTypes(readFileSync(join(ROOT, file), 'utf8'));
    const visit = (node: unknown): void => {
      if (Array.isArray(node)) node.forEach(visit);
      if (!isPlainObject(node)) return;
      const { regex, callee } = node;
      if (isPlainObject(regex)) {
        literals.push({ source: String(regex['pattern']), flags: String(regex['flags']), where: file });
      }
      if (isPlainObject(callee) && callee['name'] === 'RegExp') made.push(file);
      Object.values(node).forEach(visit);
    };
    visit(
      JSON.parse(JSON.stringify(parseAst(code), (_name, value: unknown) => (typeof value === 'bigint' ? 0 : value))),
    );
  }
  return { literals, made };
}

/** The patterns in the schemas of routes: the validator makes expressions of them. */
function inSchemas(): Found[] {
  const found: Found[] = [];
  const visit = (node: unknown, where: string): void => {
    if (Array.isArray(node)) for (const each of node) visit(each, where);
    if (!isPlainObject(node)) return;
    if (typeof node['pattern'] === 'string') found.push({ source: node['pattern'], flags: 'u', where });
    for (const each of Object.values(node)) visit(each, where);
  };
  for (const { method, path, input } of routes(readConfig({}))) visit(input, `${method} ${path}`);
  return found;
}

const { literals, made } = inProduct();
const schemas = inSchemas();
const all = [...literals, ...schemas];
const textOf = ({ source, flags }: Found): string => `/${source}/${flags}`;

describe('the regular expressions of the product', () => {
  it('are found', () => {
    expect(literals.length).toBeGreaterThan(50);
    expect(schemas.length).toBeGreaterThan(0);
  });

  it('are literals: none is made of a text at run time', () => {
    expect(made).toEqual([]);
  });

  it('are linear by their shape, or reviewed', () => {
    const unproved = all.filter(
      (each) => !isLinearByConstruction(each.source, each.flags) && !Object.hasOwn(REVIEWED, textOf(each)),
    );
    expect(unproved.map((each) => `${each.where}: ${textOf(each)}`)).toEqual([]);
  });

  it('of which every reviewed one still exists', () => {
    const texts = new Set(all.map(textOf));
    expect(Object.keys(REVIEWED).filter((text) => !texts.has(text))).toEqual([]);
  });

  it.each([...new Map(all.map((each) => [textOf(each), each]))])(
    '%s takes linear time under attack',
    (_text, found) => {
      expect(slowestAttack(found).ms).toBeLessThan(MOST_MS);
    },
  );
});

describe('the attack and the proof', () => {
  it.each([
    [String.raw`^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?;?\s*$`, 'i'],
    ['^(?:a+)+$', ''],
    [String.raw`\bFORMAT\s+(\w+)\s*(?:SETTINGS\b[^;]*)?;?\s*$`, 'i'],
    [String.raw`-+$`, ''],
    [String.raw`^(?:\d|\d\d)+$`, ''],
    [String.raw`(\d+)\.(\d+)`, ''],
  ])('find /%s/%s, which is not linear', (source, flags) => {
    expect(isLinearByConstruction(source, flags)).toBe(false);
    if (source !== String.raw`^(?:\d|\d\d)+$` && source !== '^(?:a+)+$') {
      // With two thirds of the text this takes half of the time, and is still found, on a fast machine too.
      expect(slowestAttack({ source, flags, where: '' }, CONTROL_LENGTH, 1).ms).toBeGreaterThan(MOST_MS);
    }
  });

  it.each([
    ['^[a-z]+$', ''],
    [String.raw`[\r\n]+`, 'g'],
    [String.raw`^(\d{4})-(\d\d)$`, ''],
  ])('accept /%s/%s', (source, flags) => expect(isLinearByConstruction(source, flags)).toBe(true));
});

/**
 * A search over a text of this size takes well under a millisecond when it is linear, and a second when it is
 * quadratic.
 */
const ATTACK_LENGTH = 20_000;
const CONTROL_LENGTH = 14_000;
const MOST_MS = 40;

/** The worst of many texts that are long repetitions before something that does not match. */
function slowestAttack({ source, flags }: Found, length = ATTACK_LENGTH, tries = 5): { ms: number; text: string } {
  const expression = new RegExp(source, flags.replace('g', '').replace('y', ''));
  const own = [...new Set(source.replaceAll(/[\\^$()?*+{}|[\]]/g, ''))].slice(0, 24);
  const units = [...new Set([...ATTACK_CHARACTERS, ...own, 'a.', 'a-', '0.', ' ;', '";', '\\"', "a'", 'FORMAT '])];
  const pumps = pumpsOf(source, flags);
  const prefixes = new Set(['', ...pumps.map(({ prefix }) => prefix)]);
  const attacks = [...prefixes].flatMap((prefix) =>
    [...new Set([...units, ...pumps.map(({ unit }) => unit)])]
      .filter((unit) => unit !== '')
      .map((unit) => `${prefix}${unit.repeat(Math.ceil(length / unit.length))}\u0001!`),
  );
  let slowest = { ms: 0, text: '' };
  for (const text of attacks) {
    // Others use this machine too: only a text that is slow every time is slow.
    let ms = timeOf(expression, text);
    for (let again = 1; again < tries && ms >= MOST_MS; again++) ms = Math.min(ms, timeOf(expression, text));
    if (ms > slowest.ms) slowest = { ms, text: text.slice(0, 80) };
    if (ms >= MOST_MS) break;
  }
  return slowest;
}

function timeOf(expression: RegExp, text: string): number {
  const started = performance.now();
  expression.test(text);
  return performance.now() - started;
}
