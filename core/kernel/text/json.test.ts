import { describe, expect, it } from 'vitest';
import { jsonText } from './json.ts';

/** What simdjson, and so ClickHouse, refuses: whole numbers in digits beyond 64 bits. */
function unreadable(text: string): string[] {
  const numbers = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""').match(/-?\d+(?:\.\d+)?(?:e[+-]\d+)?/g) ?? [];
  const whole = numbers.filter((number) => /^-?\d+$/.test(number));
  return whole.filter((number) => BigInt(number) >= 2n ** 64n || BigInt(number) < -(2n ** 63n));
}

describe('the text of an object from a caller', () => {
  it.each([1e18, 2 ** 63, -(2 ** 63), -9.5e18, 2 ** 64, 1e20, -123456789012345680000, 1e21, 1.7e308, -1e-7])(
    'is readable with %d, and keeps every value',
    (n) => {
      const values = [
        { n },
        { deep: [{ 'a"b': [n, null, true, 'ü\n', '12345678901234567890'] }], n: 1, x: {} },
        [n, []],
      ];
      for (const value of values) {
        expect(JSON.parse(jsonText(value))).toEqual(value);
        expect(unreadable(jsonText(value))).toEqual([]);
      }
    },
  );

  it('is what JSON.stringify writes without such a number', () => {
    const fields = { id: '12345678901234567890', small: 1.2345678901234567e-6, none: undefined, list: [1], o: {} };
    expect(jsonText(fields)).toBe(JSON.stringify(fields));
    expect(jsonText({ ...fields, n: 1e20 })).toBe(JSON.stringify({ ...fields, n: 0 }).replace('"n":0', '"n":1e+20'));
  });

  it('keeps a field named __proto__', () => {
    const sent: object = JSON.parse('{"__proto__":{"n":100000000000000000000}}');
    expect(jsonText(sent)).toBe('{"__proto__":{"n":1e+20}}');
  });
});

it('a long number is found wherever it stands', () => {
  for (let before = 0; before < 60; before += 1) {
    for (const more of ['', 'y'.repeat(40)]) {
      const value = { a: 'x'.repeat(before), n: 1e19, more };
      expect(jsonText(value)).toContain('"n":1e+19');
    }
  }
});
