import { describe, expect, it } from 'vitest';
import { refusalOf } from './sql.ts';

const READONLY = 'Code: 164. DB::Exception: default: Cannot execute query in readonly mode. (READONLY)\n';

describe('a refused statement', () => {
  it('that would change data has the statements that are allowed, and the option for others', () => {
    expect(refusalOf(READONLY, false)).toMatch(/^Code: 164.*\(READONLY\)\n.*SELECT, SHOW, DESCRIBE, EXISTS.*--write/s);
  });

  it.each([
    [READONLY, true],
    ['Code: 62. DB::Exception: Syntax error. (SYNTAX_ERROR)\n', false],
  ])('is named as ClickHouse names it: %j, with --write: %j', (text, mayWrite) => {
    expect(refusalOf(text, mayWrite)).toBe(text.trim());
  });
});
