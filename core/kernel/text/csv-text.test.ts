import { array, assert as check, constantFrom, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvFields } from './csv-fields.ts';
import { csvRecord, csvText, withoutApostrophes } from './csv-text.ts';

describe('a text in CSV', () => {
  it.each([
    ['=cmd|/c calc!A0', "'=cmd|/c calc!A0"],
    ['+cmd', "'+cmd"],
    ['-2+3+cmd', "'-2+3+cmd"],
    ['@SUM(1)', "'@SUM(1)"],
    ['\t=cmd', '"\'\t\'=cmd"'],
    ['\r=cmd', '"\'\r\'=cmd"'],
    [';=cmd', '";\'=cmd"'],
    ['a;=cmd', '"a;\'=cmd"'],
    ['a\n=cmd', '"a\n\'=cmd"'],
    ['＝cmd', "'＝cmd"],
    ["'=cmd", "''=cmd"],
    ['\t', '"\'\t"'],
    ['a=b', 'a=b'],
    ['{"score":-1}', '"{""score"":-1}"'],
  ])('%j cannot be run as a formula', (text, field) => {
    expect(csvRecord([text])).toBe(field);
  });

  it.each(['-5', '+49123', '0', '-0.25', '1e-7', '12345678901234567890'])('%s stays a number', (text) => {
    expect(csvRecord([text])).toBe(text);
  });

  it('other values are written as they are', () => {
    expect(
      csvText(
        ['=a', 'b'],
        [
          [-1, null],
          [true, undefined],
        ],
      ),
    ).toBe("'=a,b\r\n-1,\r\ntrue,\r\n");
  });

  it('any text is the same after it was read', () => {
    const nasty = array(constantFrom("'", '=', '+', '-', '@', ';', '\t', '\r', '\n', '"', ',', 'a', '1', '＝'));
    for (const texts of [nasty.map((parts) => parts.join('')), string()]) {
      check(
        property(texts, (text) => {
          const fields = csvFields(csvRecord([text, 'x']));
          expect('fault' in fields ? fields : fields.map(withoutApostrophes)).toEqual([text, 'x']);
        }),
      );
    }
  });
});
