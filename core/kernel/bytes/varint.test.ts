import { describe, expect, it } from 'vitest';
import { putSigned, putUnsigned, readIntegers } from './varint.ts';

describe('integers of variable length', () => {
  it('are read as they were written', () => {
    const values = [0, 1, 63, 64, 127, 128, 300, 2 ** 31, 2 ** 32 + 5, 1_763_800_000_000, 2 ** 52];
    const bytes: number[] = [];
    for (const value of values) {
      putUnsigned(bytes, value);
      putSigned(bytes, value);
      putSigned(bytes, -value);
    }
    const reader = readIntegers(Uint8Array.from([99, ...bytes]), 1);
    const read = values.map(() => [reader.unsigned(), reader.signed(), reader.signed()]);
    expect(read).toEqual(values.map((value) => [value, value, value === 0 ? 0 : -value]));
  });

  it('take one byte up to 127, or up to 63 with a sign', () => {
    const bytes: number[] = [];
    putUnsigned(bytes, 127);
    putSigned(bytes, 63);
    putSigned(bytes, -64);
    expect(bytes).toHaveLength(3);
    putUnsigned(bytes, 128);
    expect(bytes).toHaveLength(5);
  });

  it('past the end are an error', () => {
    expect(() => readIntegers(Uint8Array.from([0x80]), 0).unsigned()).toThrow(RangeError);
    expect(() => readIntegers(Uint8Array.from([1]), 0).bytes(2)).toThrow(RangeError);
  });
});
