import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { linkFault, linksOf } from '../support/documentation.ts';
import { ROOT } from '../support/own-imports.ts';

const FOLDER = 'docs/decisions';
const INDEX = `${FOLDER}/README.md`;
const WORDS_OF_A_PAGE = 450;
const WORDS_TOGETHER = 12_000;

const names = readdirSync(join(ROOT, FOLDER)).filter((name) => name !== 'README.md');
const decisions = names.map((name) => {
  const text = read(`${FOLDER}/${name}`);
  return { name, number: name.slice(0, 4), text, title: /^# \d{4}\. (.+)\n/.exec(text)?.[1] ?? '' };
});
const lab = readdirSync(join(ROOT, 'docs/lab')).map((name) => `docs/lab/${name}`);

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

const wordsOf = (text: string) => text.split(/\s+/).length;

describe('the decisions', () => {
  it('are numbered from 0001 without a gap, and name their number with their title', () => {
    const numbers = decisions.map(({ number }) => number).toSorted();
    expect(numbers).toEqual(numbers.map((_number, place) => String(place + 1).padStart(4, '0')));
    for (const { name, number, text } of decisions) {
      expect(name).toMatch(/^\d{4}(-[a-z0-9]+)+\.md$/);
      expect(text.split('\n')[0], name).toMatch(new RegExp(`^# ${number}\\. \\S`));
    }
  });

  it('have context, rule and consequence', () => {
    for (const { name, text } of decisions) {
      const sections = text.split(/^## /m).slice(1);
      expect(
        sections.map((section) => section.split('\n')[0]),
        name,
      ).toEqual(['Context', 'Rule', 'Consequence']);
      for (const section of sections) expect(wordsOf(section), name).toBeGreaterThan(5);
    }
  });

  it('have a page each', () => {
    const long = decisions.filter(({ text }) => wordsOf(text) > WORDS_OF_A_PAGE);
    expect(long.map(({ name, text }) => `${name}: ${wordsOf(text)} words`)).toEqual([]);
    expect(wordsOf(decisions.map(({ text }) => text).join('\n') + read(INDEX))).toBeLessThanOrEqual(WORDS_TOGETHER);
  });

  it('are each once in the index, with their title', () => {
    const listed = read(INDEX)
      .split('\n')
      .flatMap((line) => (line.startsWith('- ') ? [line.slice(2)] : []));
    const expected = decisions.map(({ name, number, title }) => `[${number}](${name}) ${title}`);
    expect(listed.toSorted()).toEqual(expected.toSorted());
  });

  it('lead somewhere, as the measurements do, which have a date and a decision', () => {
    const pages = [INDEX, ...names.map((name) => `${FOLDER}/${name}`), ...lab];
    const faults = pages.flatMap((file) => linksOf(file).map((link) => linkFault(file, link)));
    expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
    for (const file of lab) {
      expect(file).toMatch(/^docs\/lab\/\d{4}-\d{2}-\d{2}(-[a-z0-9]+)+\.md$/);
      expect(linksOf(file).join(), file).toContain('../decisions/');
    }
  });

  it('give a reason for every dependency', () => {
    const manifests = ['package.json', 'console/package.json', 'sdk/typescript/package.json'];
    const dependencies = manifests.flatMap((file) => {
      const manifest: Record<string, Record<string, string> | undefined> = JSON.parse(read(file));
      const kinds = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'];
      return kinds.flatMap((kind) => Object.keys(manifest[kind] ?? {}));
    });
    expect(dependencies.length).toBeGreaterThan(40);
    const reasons = decisions.find(({ name }) => name.endsWith('-every-dependency-has-a-reason.md'))?.text ?? '';
    expect(dependencies.filter((name) => !reasons.includes(`\`${name}\``))).toEqual([]);
  });

  it('exist where code and documents name one', () => {
    const list = execFileSync('git', ['grep', '-hoE', '(docs/|\\]\\()decisions/[0-9]{4}[a-z0-9.-]*'], { cwd: ROOT });
    const named = list
      .toString()
      .split('\n')
      .filter(Boolean)
      .map((found) => found.replace(/^.*decisions\//, '').replace(/\.$/, ''));
    expect(named.length).toBeGreaterThan(5);
    const known = new Set(decisions.flatMap(({ name, number }) => [number, name]));
    expect(named.filter((each) => !known.has(each))).toEqual([]);
  });
});
