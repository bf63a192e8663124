import { describe, expect, it } from 'vitest';
import { BODY_LIMITS } from './limits.ts';
import { SHARED_LIMITS } from '../../../../core/kernel/limits.ts';
import { TEXT_LIMITS } from '../../../../core/kernel/text/limits.ts';
import { integersPastDouble, scanJson } from './json-scan.ts';

const scan = (text: string) => scanJson(Buffer.from(text));
const past = (text: string) => integersPastDouble(Buffer.from(text)) ?? new Set<number>();

describe('a scan', () => {
  it.each([
    '{}',
    '{"player_id":"6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11","n":12.5,"ok":true,"no":false,"none":null}',
    '{"id":"1234567890123456789","hex":"1e999","brackets":"[[[[{{{{"}',
    '["a\\"b\\\\",123456789012345]',
    `[${'[],'.repeat(100)}1]`,
    '["snowman \u2603", "\\u2603", "\\u00e9"]',
    '[1E5,1e99,-2.5e-9,0.1234567890123456789]',
  ])('finds nothing in %s', (text) => {
    expect(scan(text)).toBe('plain');
  });

  it.each([
    '["\\u0000"]',
    '[1e999]',
    '[9007199254740993]',
    '["\\ud83d"]',
    '[1e100]',
    '[12345678901234567e1]',
    `["${'x'.repeat(TEXT_LIMITS.stringBytes + 1)}"]`,
  ])('asks for a walk over %.40s', (text) => {
    expect(scan(text)).toBe('suspicious');
  });

  it('validates depth exactly, and not inside strings', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(scan(nested(SHARED_LIMITS.jsonDepth))).toBe('plain');
    expect(scan(nested(SHARED_LIMITS.jsonDepth + 1))).toBe('too_deep');
    expect(scan('{"a":'.repeat(SHARED_LIMITS.jsonDepth + 1))).toBe('too_deep');
    expect(scan(`["${'['.repeat(100)}"]`)).toBe('plain');
  });

  it('bounds values and the length of numbers, and not inside strings', () => {
    const list = (items: number) => `[${Array(items).fill('0').join(',')}]`;
    expect(scan(list(BODY_LIMITS.jsonSeparators))).toBe('plain');
    expect(scan(list(BODY_LIMITS.jsonSeparators + 1))).toBe('too_many_values');
    expect(scan(`["${','.repeat(BODY_LIMITS.jsonSeparators)}"]`)).toBe('suspicious');
    expect(scan(`[${'1'.repeat(BODY_LIMITS.jsonNumberLength)}]`)).toBe('suspicious');
    expect(scan(`[${'1'.repeat(BODY_LIMITS.jsonNumberLength + 1)}]`)).toBe('number_too_long');
  });

  it('accepts texts that are not JSON', () => {
    for (const text of ['', '"', '"\\', '\\', ']]]]', '{"a', '-', 'e']) expect(() => scan(text)).not.toThrow();
  });
});

describe('integers past a double', () => {
  it('are literals past 2^53, outside strings', () => {
    const found = past('[9007199254740993, 12345678901234567890123]');
    for (const text of ['9007199254740993', '12345678901234567890123']) {
      expect(found.has(Number(text)), text).toBe(true);
    }
    expect(past('{"9007199254740993":"9007199254740993 \\" 9007199254740993"}').size).toBe(0);
  });

  it('exclude integers that a double represents, and floats', () => {
    expect(past('[9007199254740991,9007199254740992,-9007199254740992,1e30,9007199254740993.5]').size).toBe(0);
  });

  it('are not listed beyond the limit', () => {
    const integers = (count: number) => Array.from({ length: count }, (_, i) => `9007199254${740_994 + i * 2}`);
    expect(past(`[${integers(BODY_LIMITS.jsonLongIntegers).join(',')}]`).size).toBe(BODY_LIMITS.jsonLongIntegers);
    expect(
      integersPastDouble(Buffer.from(`[${integers(BODY_LIMITS.jsonLongIntegers + 1).join(',')}]`)),
    ).toBeUndefined();
  });

  it('stops at too many integers past 2^53, also when they are all the same', () => {
    const list = `[${Array(BODY_LIMITS.jsonLongIntegers + 1)
      .fill('12345678901234567')
      .join()}]`;
    expect(integersPastDouble(Buffer.from(list))).toBeUndefined();
  });

  it('reads each byte a few times', () => {
    const bytes = Buffer.from(`[${'9'.repeat(5_000)}]`);
    let reads = 0;
    const counted = new Proxy(bytes, {
      get(target, name) {
        reads += 1;
        const found: unknown = Reflect.get(target, name, target);
        return typeof found === 'function' ? found.bind(target) : found;
      },
    });
    expect(integersPastDouble(counted)?.size).toBe(1);
    expect(reads).toBeGreaterThanOrEqual(bytes.length);
    expect(reads).toBeLessThan(8 * bytes.length);
  });
});
