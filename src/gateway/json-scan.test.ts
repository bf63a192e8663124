import { describe, expect, it } from 'vitest';
import { LIMITS } from '../kernel/limits.ts';
import { integersPastDouble, scanJson } from './json-scan.ts';

const scan = (text: string) => scanJson(Buffer.from(text));

describe('a scan', () => {
  it.each([
    '{}',
    '{"player_id":"6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11","n":12.5,"ok":true,"no":false,"none":null}',
    '{"id":"1234567890123456789","hex":"1e999","brackets":"[[[[{{{{"}',
    '["a\\"b\\\\",123456789012345]',
    `[${'[],'.repeat(100)}1]`,
    '["snowman \u2603"]',
  ])('finds nothing in %s', (text) => {
    expect(scan(text)).toBe('plain');
  });

  it.each([
    '["\\u0000"]',
    '[1e999]',
    '[1E5]',
    '[9007199254740993]',
    '[0.1234567890123456]',
    `["${'x'.repeat(LIMITS.stringBytes + 1)}"]`,
  ])('asks for a walk over %.40s', (text) => {
    expect(scan(text)).toBe('suspicious');
  });

  it('judges depth exactly, and not inside strings', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(scan(nested(LIMITS.jsonDepth))).toBe('plain');
    expect(scan(nested(LIMITS.jsonDepth + 1))).toBe('too_deep');
    expect(scan('{"a":'.repeat(LIMITS.jsonDepth + 1))).toBe('too_deep');
    expect(scan(`["${'['.repeat(100)}"]`)).toBe('plain');
  });

  it('survives texts that are no JSON', () => {
    for (const text of ['', '"', '"\\', '\\', ']]]]', '{"a', '-', 'e']) expect(() => scan(text)).not.toThrow();
  });
});

describe('integers past a double', () => {
  it('are literals past 2^53, outside strings', () => {
    expect([...integersPastDouble('[9007199254740993, -9007199254740993, 12345678901234567890123]')]).toEqual([
      Number('9007199254740993'),
      Number('-9007199254740993'),
      Number('12345678901234567890123'),
    ]);
    expect(integersPastDouble('{"9007199254740993":"9007199254740993 \\" 9007199254740993"}').size).toBe(0);
  });

  it('are not those a double holds, nor floats', () => {
    expect(
      integersPastDouble('[9007199254740991,9007199254740992,-9007199254740992,1e30,9007199254740993.5]').size,
    ).toBe(0);
  });

  it('takes time in proportion to the text', () => {
    const text = `[${'9'.repeat(500_000)}]`;
    const startMs = performance.now();
    expect(integersPastDouble(text).size).toBe(1);
    expect(performance.now() - startMs).toBeLessThan(1_000);
  });
});
