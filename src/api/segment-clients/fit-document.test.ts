import { assert, jsonValue, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SEGMENT_CLIENT_LIMITS } from './limits.ts';
import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';
import { fitDocument } from './fit-document.ts';

const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) });

describe('a document of a client', () => {
  it('stays as it is if it fits', () => {
    const document = { a: [1, { b: 'é' }], c: null, d: 1.5, e: true };
    const fitted = fitDocument(document, '/properties');
    expect(fitted.document).toBe(document);
    expect(fitted).toEqual({ document, text: JSON.stringify(document), faults: [] });
  });

  it('loses characters and numbers that cannot be stored, without a fault', () => {
    const broken = JSON.parse('{"a\\u0000":"x\\ud800y","b":[1e999,{"c":"\\u0000"}]}');
    expect(fitDocument(broken, '')).toEqual({
      document: { 'a\uFFFD': 'x\uFFFDy', b: [null, { c: '\uFFFD' }] },
      text: '{"a\uFFFD":"x\uFFFDy","b":[null,{"c":"\uFFFD"}]}',
      faults: [],
    });
  });

  it('keeps fields named like properties of objects as its own', () => {
    const hostile = JSON.parse('{"__proto__":{"x":"\\u0000"},"constructor":1,"toString":2}');
    const { document, text } = fitDocument(hostile, '');
    expect(Object.keys(document)).toEqual(['__proto__', 'constructor', 'toString']);
    expect(Object.getPrototypeOf(document)).toBe(Object.prototype);
    expect(text).toBe('{"__proto__":{"x":"\uFFFD"},"constructor":1,"toString":2}');
  });

  it('is cut, with a fault, where it exceeds a bound', () => {
    const long = 'x'.repeat(TEXT_LIMITS.stringBytes + 1);
    const cut = fitDocument({ a: { 'b/c': long } }, '/properties');
    expect(cut.faults).toEqual([{ path: '/properties/a/b~1c', message: expect.stringContaining('8192 bytes') }]);
    const deep = fitDocument(nested(SEGMENT_CLIENT_LIMITS.fittedDepth + 1), '');
    expect(deep.faults).toEqual([{ path: expect.stringMatching(/^(\/a)+$/), message: expect.stringContaining('28') }]);
    expect(fitDocument(nested(SEGMENT_CLIENT_LIMITS.fittedDepth), '').faults).toEqual([]);
    const many = Object.fromEntries(Array.from({ length: TEXT_LIMITS.documentKeys + 9 }, (_, n) => [`k${n}`, n]));
    const fewer = fitDocument(many, '');
    expect(Object.keys(fewer.document)).toHaveLength(TEXT_LIMITS.documentKeys);
    expect(fewer.faults).toEqual([{ path: '/k256', message: 'is beyond the 256 fields' }]);
    const named = fitDocument({ '': 1, ['n'.repeat(129)]: 2, ok: 3 }, '');
    expect(named.document).toEqual({ ok: 3 });
    expect(named.faults).toHaveLength(2);
    const large = Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`k${n}`, 'x'.repeat(8_000)]));
    expect(fitDocument(large, '/p')).toEqual({
      document: {},
      text: '{}',
      faults: [{ path: '/p', message: 'must be at most 65536 bytes as JSON' }],
    });
  });

  it('fits, whatever the value', () => {
    assert(
      property(jsonValue({ maxDepth: 6, stringUnit: 'binary' }), (value) => {
        const { document, text } = fitDocument(value, '');
        expect(text.isWellFormed()).toBe(true);
        expect(text).not.toContain('\\u0000');
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(document)));
        expect(fitDocument(document, '')).toMatchObject({ text, faults: [] });
      }),
    );
  });
});
