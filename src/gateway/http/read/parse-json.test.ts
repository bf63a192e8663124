import { assert, json, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SHARED_LIMITS } from '../../../../core/kernel/limits.ts';
import { VALIDATION_LIMITS } from '../../../../core/kernel/validation/limits.ts';
import { parseJson, parseLenientJson } from './parse-json.ts';

const parse = (text: string) => parseJson(Buffer.from(text));
const faults = (text: string) => {
  const parsed = parse(text);
  if (parsed.kind === 'broken') throw new Error(parsed.message);
  return parsed.faults;
};

describe('strict JSON', () => {
  it('parses what JSON.parse parses', () => {
    assert(
      property(json({ maxDepth: 5 }), (text) => {
        const parsed = parse(text);
        expect(parsed.kind).toBe('parsed');
        if (parsed.kind === 'parsed') expect(parsed.value).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each(['', '{', '{"a":1,}', "{'a':1}", 'nul', '{"a":1} x', '{"a":NaN}', '"\u0001"', '\ufeff\ufeff{}', '{}\ufeff'])(
    'refuses %j',
    (text) => {
      expect(parse(text).kind).toBe('broken');
    },
  );

  it('reads a text behind a byte order mark, in the strict and in the lenient way', () => {
    for (const read of [parseJson, parseLenientJson]) {
      expect(read(Buffer.from('\ufeff{"n":1}'))).toEqual({ kind: 'parsed', value: { n: 1 }, faults: [] });
    }
    expect(parseJson(Buffer.from('\ufeff{"n":9007199254740993}'))).toMatchObject({ faults: [{ path: '/n' }] });
  });

  it('refuses invalid UTF-8', () => {
    for (const bytes of [
      [0x22, 0xff, 0x22],
      [0x22, 0xc3, 0x28, 0x22],
      [0x22, 0xed, 0xa0, 0x80, 0x22],
      [0x22, 0xc0, 0x80, 0x22],
    ]) {
      expect(parseJson(Buffer.from(bytes))).toEqual({ kind: 'broken', message: 'is not valid UTF-8' });
    }
  });

  it('refuses nesting beyond the limit', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(parse(nested(SHARED_LIMITS.jsonDepth)).kind).toBe('parsed');
    expect(parse(nested(SHARED_LIMITS.jsonDepth + 1)).kind).toBe('broken');
  });

  it.each([
    ['{"a":{"b":"x\\u0000"}}', '/a/b', 'U+0000'],
    ['{"a":["ok","\\ud800"]}', '/a/1', 'lone surrogate'],
    ['{"a":{"\\udc00":1}}', '/a', 'a field name that must not contain a lone surrogate'],
    ['{"n":1e999}', '/n', 'finite'],
    ['{"n":-1e999}', '/n', 'finite'],
    ['[0,-9007199254740993]', '/1', '2^53'],
    ['{"x/y":{"n~":9007199254740993}}', '/x~1y/n~0', '2^53'],
    [`{"s":"${'x'.repeat(8193)}"}`, '/s', '8192 bytes'],
    [`{"s":"${'é'.repeat(4097)}"}`, '/s', '8192 bytes'],
    [`{"${'k'.repeat(8193)}":1}`, '', 'a field name that must be a string of at most'],
  ])('names the fault in %.40s', (text, path, message) => {
    expect(faults(text)).toEqual([expect.objectContaining({ path, message: expect.stringContaining(message) })]);
  });

  it('accepts escapes, pairs, big floats and strings at the limit', () => {
    expect(
      faults('{"a":"\\u00e9\\ud83d\\ude00\\\\u0000","b":1e300,"c":9007199254740992,"d":1.7976931348623157e308}'),
    ).toEqual([]);
    expect(faults(`{"s":"${'x'.repeat(8192)}","n":1e2}`)).toEqual([]);
  });

  it('lists a bounded number of faults', () => {
    expect(faults(`[${Array(1000).fill('"\\u0000"').join(',')}]`)).toHaveLength(VALIDATION_LIMITS.reportedFaults);
  });

  it('keeps __proto__, constructor and prototype as data and pollutes nothing', () => {
    const text = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"prototype":1}';
    const parsed = parse(text);
    expect(parsed.kind === 'parsed' && JSON.stringify(parsed.value)).toBe(text);
    expect('polluted' in {}).toBe(false);
  });
});
