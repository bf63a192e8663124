import { describe, expect, it } from 'vitest';
import { bearerToken, contentCoding, isJsonType, isVisibleAscii } from './header-values.ts';

describe('a bearer token', () => {
  it.each([
    ['Bearer sk_live_x', 'sk_live_x'],
    ['bearer   sk_live_x', 'sk_live_x'],
    ['BEARER a~!', 'a~!'],
  ])('of %j is %j', (text, token) => expect(bearerToken(text)).toBe(token));

  it.each(['', 'Bearer', 'Bearer ', 'Bearer  ', 'Basic abc', 'Bearera', 'Bearer a b', 'Bearer a ', 'Bearer é'])(
    'is none in %j',
    (text) => expect(bearerToken(text)).toBeUndefined(),
  );
});

describe('a content type', () => {
  it.each([
    'application/json',
    'Application/JSON',
    'application/json;charset=utf-8',
    'application/json; charset="UTF-8"',
    'application/json ; charset = utf-8 ;',
    'application/json;',
    'application/json;;charset=utf-8',
  ])('%j is JSON', (text) => expect(isJsonType(text)).toBe(true));

  it.each([
    '',
    'text/plain',
    'application/json x',
    'application/jsonp',
    'application/json; charset=utf-16',
    'application/json; charset',
    'application/json; =utf-8',
    'application/json; charset="utf-8',
    'application/json; profile=x',
  ])('%j is not', (text) => expect(isJsonType(text)).toBe(false));
});

describe('a content encoding', () => {
  it.each([
    ['', 'identity'],
    ['identity', 'identity'],
    ['GZIP', 'gzip'],
    [' x-gzip ', 'gzip'],
    ['br', undefined],
    ['deflate', undefined],
    ['gzip, gzip', undefined],
  ])('%j is %j', (text, coding) => expect(contentCoding(text)).toBe(coding));
});

describe('visible ASCII', () => {
  it.each(['!', '~', 'a-b_c'])('%j is', (text) => expect(isVisibleAscii(text)).toBe(true));
  it.each(['', ' ', 'a b', 'a\u007f', 'é', '\u0000'])('%j is not', (text) => expect(isVisibleAscii(text)).toBe(false));
});

describe('the parsers of header values', () => {
  const size = 1_000_000;
  it.each([
    ['spaces', ' '.repeat(size)],
    ['semicolons', ';'.repeat(size)],
    ['quotes', '"'.repeat(size)],
    ['parameters', '; charset=utf-8'.repeat(size / 15)],
  ])('take a megabyte of %s in linear time', (_name, text) => {
    // A backtracking expression took 10 minutes for the spaces: longer than a test may take.
    expect(isJsonType(`application/json${text}x`)).toBe(false);
    expect(bearerToken(`Bearer ${text}x`)).not.toBe('');
    expect(isVisibleAscii(text)).toBe(!text.includes(' '));
  });
});
