import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBinaryRows } from './binary-rows.ts';

/** A value as RowBinary writes it. */
function written(value: Uint8Array): Uint8Array {
  const length: number[] = [];
  for (let left = value.length; ; left = Math.floor(left / 128)) {
    length.push(left < 128 ? left : (left % 128) + 128);
    if (left < 128) break;
  }
  return Buffer.concat([Uint8Array.from(length), value]);
}

describe('rows of one String column', () => {
  it('are the written values, wherever the stream is cut', () => {
    const values = fc.array(fc.uint8Array({ maxLength: 400 }), { maxLength: 12 });
    fc.assert(
      fc.property(values, fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1 }), (rows, cuts) => {
        const bytes = Buffer.concat(rows.map(written));
        const reader = createBinaryRows(1_000);
        const found: Uint8Array[] = [];
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const end = at + (cuts[turn % cuts.length] ?? 1);
          found.push(...reader.take(bytes.subarray(at, end)).map((value) => Uint8Array.from(value)));
          at = end;
        }
        reader.end();
        expect(found).toEqual(rows);
      }),
    );
  });

  it('that end inside a value are an error', () => {
    for (const cut of [1, 2, 200]) {
      const reader = createBinaryRows(1_000);
      expect(reader.take(written(new Uint8Array(300)).subarray(0, cut))).toEqual([]);
      expect(() => reader.end()).toThrow('inside a row');
    }
  });

  it('with an impossible length are an error, as text in the place of rows is', () => {
    expect(() => createBinaryRows(1_000).take(Buffer.from('\xff\xff\xff\x7f', 'latin1'))).toThrow(
      'the maximum is 1000',
    );
  });
});
