import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'docs/decisions');

interface DecisionFile {
  name: string;
  /** Four digits. */
  number: string;
  title: string;
  text: string;
  status: readonly string[];
}

const INDEX = readFileSync(join(FOLDER, 'README.md'), 'utf8');
const decisions = readdirSync(FOLDER)
  .filter((name) => name !== 'README.md')
  .toSorted()
  .map((name): DecisionFile => {
    const text = readFileSync(join(FOLDER, name), 'utf8');
    const title = /^# \d{4}\. (.+)\n/.exec(text)?.[1] ?? '';
    return { name, number: name.slice(0, 4), title, text, status: itemsOf(sectionsOf(text).get('Status') ?? '') };
  });

/** Second-level headings and their texts, in order. */
function sectionsOf(text: string): Map<string, string> {
  const parts = text.split(/^## (.+)$/m).slice(1);
  return new Map(parts.flatMap((part, place) => (place % 2 === 0 ? [[part, (parts[place + 1] ?? '').trim()]] : [])));
}

/** Items of a list, each on one line. */
function itemsOf(list: string): string[] {
  const joined = list.replaceAll(/\n {2,}/g, ' ');
  return joined.split('\n').flatMap((line) => (line.startsWith('- ') ? [line.slice(2)] : []));
}

const LINK = String.raw`\[(\d{4})\]\((\1-[a-z0-9-]+\.md)\)`;
const ACCEPTED = /^(Accepted|Superseded), \d{4}-\d{2}-\d{2}\.$/;
/** Each form of a relation, and the form in which the other decision names it. */
const RELATIONS = [
  { form: new RegExp(`^Superseded by ${LINK}\\.$`), other: 'Supersedes' },
  { form: new RegExp(`^Supersedes ${LINK}\\.$`), other: 'Superseded by' },
  { form: new RegExp(`^Superseded in part by ${LINK}: .+\\.$`), other: 'Supersedes', inPart: true },
  { form: new RegExp(`^Supersedes ${LINK} in part: .+\\.$`), other: 'Superseded in part by' },
  { form: new RegExp(`^Extended by ${LINK}\\.$`), other: 'Extends' },
  { form: new RegExp(`^Extends ${LINK}\\.$`), other: 'Extended by' },
] as const;

describe('the decisions', () => {
  it('have a number each, and name it with their title', () => {
    expect(decisions.length).toBeGreaterThan(100);
    // Numbers are given before the work begins, so one may be missing for a while.
    expect(new Set(decisions.map(({ number }) => number)).size).toBe(decisions.length);
    for (const { name, number, text } of decisions) {
      expect(name).toMatch(/^\d{4}(-[a-z0-9]+)+\.md$/);
      expect(text.split('\n')[0], name).toMatch(new RegExp(`^# ${number}\\. \\S`));
    }
  });

  it('have context, decision, consequence, a figure if there is one, and status', () => {
    for (const { name, text } of decisions) {
      const sections = [...sectionsOf(text)];
      const expected = ['Context', 'Decision', 'Consequence', 'Figure', 'Status'];
      const headings = sections.map(([heading]) => heading);
      expect(headings, name).toEqual(expected.filter((each) => each !== 'Figure' || headings.includes('Figure')));
      expect(
        sections.filter(([, body]) => body === ''),
        name,
      ).toEqual([]);
    }
  });

  it('have a date, and relations that the other decision names too', () => {
    const faults: string[] = [];
    for (const { name, number, status } of decisions) {
      const [first = '', ...rest] = status;
      if (!ACCEPTED.test(first)) faults.push(`${name}: "${first}" is no status with a date`);
      const isSuperseded = rest.some((item) => item.startsWith('Superseded by'));
      if (first.startsWith('Superseded') !== isSuperseded) faults.push(`${name}: names no decision that supersedes it`);
      for (const item of rest) {
        const relation = RELATIONS.find(({ form }) => form.test(item));
        const linked = relation?.form.exec(item);
        const other = decisions.find((each) => each.name === linked?.[2]);
        if (relation === undefined || other === undefined) {
          faults.push(`${name}: "${item}" is no relation to a decision`);
          continue;
        }
        const back = new RegExp(
          `^${relation.other} \\[${number}\\]\\(\\S+\\)${'inPart' in relation ? ' in part' : ''}`,
        );
        if (!other.status.some((each) => back.test(each))) faults.push(`${other.name}: does not name ${number}`);
      }
    }
    expect(faults).toEqual([]);
  });

  it('are each once in the index, with their title', () => {
    const listed = [...sectionsOf(INDEX).values()].flatMap(itemsOf);
    const expected = decisions.map(({ name, number, title }) => `[${number}](${name}) ${title}`);
    expect(listed.toSorted()).toEqual(expected);
  });

  it('have no broken link and no line over 120 characters', () => {
    const faults: string[] = [];
    for (const { name, text } of [...decisions, { name: 'README.md', text: INDEX }]) {
      for (const line of text.split('\n')) if (line.length > 120) faults.push(`${name}: ${line}`);
      for (const [link, , target = ''] of text.matchAll(/\[([^\]]*)\]\(([^)#]+)[^)]*\)/g)) {
        if (!target.startsWith('https:') && !existsSync(join(FOLDER, target))) faults.push(`${name}: ${link}`);
      }
    }
    expect(faults).toEqual([]);
  });

  it('give a reason for every dependency', () => {
    const {
      dependencies,
      devDependencies,
      optionalDependencies,
    }: Record<string, Record<string, string>> = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const names = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
    expect(names.length).toBeGreaterThan(20);
    const reasons = decisions.find(({ name }) => name === '0002-dependencies.md')?.text ?? '';
    expect(names.filter((name) => !reasons.includes(`\`${name}\``))).toEqual([]);
  });

  it('exist where code and documents name one', () => {
    const list = execFileSync('git', ['grep', '-hoE', 'docs/decisions/[0-9]{4}[a-z0-9.-]*'], { cwd: ROOT });
    const named = list.toString().split('\n').filter(Boolean);
    expect(named).toContain('docs/decisions/0028');
    const known = new Set(decisions.flatMap(({ name, number }) => [number, name]));
    expect(named.filter((each) => !known.has(each.slice('docs/decisions/'.length).replace(/\.$/, '')))).toEqual([]);
  });
});
