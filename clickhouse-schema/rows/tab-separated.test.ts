import { array, assert as assertProperty, constant, constantFrom, oneof, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTabSeparated, lineOf } from './tab-separated.ts';

const UNESCAPED: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', '\\': '\\' };

/** Parses like ClickHouse: cells end at tabs, rows at line feeds, `\N` is NULL. */
function read(text: string): (string | null)[][] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) =>
      line
        .split('\t')
        .map((cell) =>
          cell === '\\N' ? null : cell.replaceAll(/\\(.)/g, (_, character: string) => UNESCAPED[character] ?? '?'),
        ),
    );
}

describe('rows as TabSeparated', () => {
  it('NULL, booleans, numbers and special characters', () => {
    expect(lineOf(['a', null, undefined, true, -1.5, 'tab\tfeed\nback\\slash\r', '\\N'])).toBe(
      'a\t\\N\t\\N\ttrue\t-1.5\ttab\\tfeed\\nback\\\\slash\\r\t\\\\N\n',
    );
  });

  it('a list is an array of quoted texts, escaped once', () => {
    expect(lineOf([[], ['a', "it's", 'tab\t', 'back\\slash']])).toBe("[]\t['a','it\\'s','tab\\t','back\\\\slash']\n");
  });

  it('any text is read back unchanged, and an empty row is no empty line', () => {
    const cell = oneof(
      string({ unit: 'binary' }),
      constantFrom('\n\n', ';\n', '\\N', '\t', '\\', '\r\n'),
      constant(null),
    );
    const rows = array(array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 20 });
    assertProperty(
      property(rows, (given) => {
        const text = createTabSeparated();
        for (const row of given) text.add(row);
        const written = Buffer.from(text.bytes()).toString('utf8');
        expect(read(written)).toEqual(given);
        expect(written).not.toContain('\n\n');
      }),
    );
  });

  it('grows beyond its initial memory, and `clear` hides all earlier rows', () => {
    const text = createTabSeparated();
    const long = 'ü'.repeat(50_000);
    text.add(['a', long]);
    text.add(['b', long]);
    expect(Buffer.from(text.bytes()).toString('utf8')).toBe(`a\t${long}\nb\t${long}\n`);
    text.clear();
    expect(text.bytes().length).toBe(0);
    text.add(['c']);
    expect(Buffer.from(text.bytes()).toString('utf8')).toBe('c\n');
  });
});
