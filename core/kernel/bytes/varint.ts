/*
 * Integers in as few bytes as they need: 7 bits a byte, the lowest first, the eighth bit set in all but the last.
 * Arithmetic instead of bit operators, because times need more than 32 bits.
 */

/** Appends an integer from 0 to 2^53 − 1. */
export function putUnsigned(into: number[], value: number): void {
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) into.push((rest % 0x80) | 0x80);
  into.push(rest);
}

/** Appends an integer between −2^52 and 2^52, small ones in few bytes whatever their sign. */
export function putSigned(into: number[], value: number): void {
  putUnsigned(into, value < 0 ? -2 * value - 1 : 2 * value);
}

/** Reads what `putUnsigned` and `putSigned` wrote, one after another. */
export interface IntegerReader {
  unsigned(): number;
  signed(): number;
  /** The next bytes themselves. */
  bytes(count: number): Uint8Array;
}

/** @throws RangeError past the end */
export function readIntegers(from: Uint8Array, start: number): IntegerReader {
  let at = start;
  const unsigned = (): number => {
    let value = 0;
    for (let weight = 1; ; weight *= 0x80) {
      const byte = from[at++];
      if (byte === undefined) throw new RangeError(`an integer goes past the end of ${from.length} bytes`);
      value += (byte & 0x7f) * weight;
      if (byte <= 0x7f) return value;
    }
  };
  return {
    unsigned,
    signed() {
      const value = unsigned();
      return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    },
    bytes(count) {
      if (at + count > from.length) throw new RangeError(`${count} bytes go past the end of ${from.length} bytes`);
      at += count;
      return from.subarray(at - count, at);
    },
  };
}
