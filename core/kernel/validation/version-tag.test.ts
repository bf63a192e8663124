import { describe, expect, it } from 'vitest';
import { parseVersionTag } from './version-tag.ts';

describe('a version in If-Match', () => {
  it.each([
    ['*', 'any'],
    ['3', 3],
    ['"3"', 3],
    ['W/"12"', 12],
    ['W/12', 12],
    ['0', 0],
    ['9'.repeat(15), 999_999_999_999_999],
  ])('%j is %j', (text, version) => expect(parseVersionTag(text)).toBe(version));

  it.each([
    '',
    '"',
    '""',
    '"3',
    '3"',
    'w/"3"',
    'W/',
    'W/*',
    '-1',
    '1.0',
    ' 3',
    '3,4',
    '"a"',
    '9'.repeat(16),
    '9'.repeat(1_000_000),
  ])('%j is none', (text) => expect(parseVersionTag(text)).toBeUndefined());
});
