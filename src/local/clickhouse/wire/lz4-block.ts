/*
 * Blocks of LZ4, without a frame: sequences of literals and copies of what precedes them by at most 64 KiB.
 */

const MIN_MATCH = 4;
/** The format's rules for the end of a block: its last 5 bytes are literals, and no copy starts in its last 12. */
const LAST_LITERALS = 5;
const MATCH_LIMIT = 12;
const HASH_BITS = 14;
const LONGEST_DISTANCE = 65_535;

/** Greedy, with one candidate for each hash of four bytes. */
export function compressBlock(input: Buffer): Buffer {
  const output = Buffer.allocUnsafe(input.length + Math.ceil(input.length / 255) + 16);
  const places = new Int32Array(1 << HASH_BITS).fill(-1);
  let literals = 0;
  let out = 0;
  const last = input.length - MATCH_LIMIT;
  for (let at = 0; at < last;) {
    const four = input.readUInt32LE(at);
    const slot = Math.imul(four, 2_654_435_761) >>> (32 - HASH_BITS);
    const place = places[slot] ?? -1;
    places[slot] = at;
    if (place < 0 || at - place > LONGEST_DISTANCE || input.readUInt32LE(place) !== four) {
      at += 1;
      continue;
    }
    let length = MIN_MATCH;
    const end = input.length - LAST_LITERALS;
    while (at + length < end && input[at + length] === input[place + length]) length += 1;
    out = writeLiterals(output, out, input.subarray(literals, at), length - MIN_MATCH);
    output.writeUInt16LE(at - place, out);
    out = writeLength(output, out + 2, length - MIN_MATCH);
    at += length;
    literals = at;
  }
  out = writeLiterals(output, out, input.subarray(literals), 0);
  return output.subarray(0, out);
}

/** The token, the length of the literals beyond 15, and the literals. */
function writeLiterals(output: Buffer, start: number, literals: Buffer, copyLength: number): number {
  output[start] = (Math.min(literals.length, 15) << 4) | Math.min(copyLength, 15);
  const at = writeLength(output, start + 1, literals.length);
  return at + literals.copy(output, at);
}

/** The rest of a length whose first 15 are in the token. */
function writeLength(output: Buffer, start: number, length: number): number {
  if (length < 15) return start;
  let at = start;
  for (let rest = length - 15; ; rest -= 255) {
    output[at] = Math.min(rest, 255);
    at += 1;
    if (rest < 255) return at;
  }
}

/** Undefined unless the block is whole and has exactly `size` bytes. */
export function decompressBlock(input: Buffer, size: number): Buffer | undefined {
  const output = Buffer.allocUnsafe(size);
  let out = 0;
  let at = 0;
  const rest = (nibble: number): number => {
    let length = nibble;
    if (nibble < 15) return length;
    for (;;) {
      const byte = input[at];
      if (byte === undefined || length > size) return Infinity;
      at += 1;
      length += byte;
      if (byte < 255) return length;
    }
  };
  while (at < input.length) {
    const token = input[at] ?? 0;
    at += 1;
    const literals = rest(token >> 4);
    if (at + literals > input.length || out + literals > size) return undefined;
    input.copy(output, out, at, at + literals);
    at += literals;
    out += literals;
    if (at === input.length) return out === size ? output : undefined;
    const distance = at + 2 <= input.length ? input.readUInt16LE(at) : 0;
    at += 2;
    const length = rest(token & 15) + MIN_MATCH;
    if (distance === 0 || distance > out || out + length > size) return undefined;
    // A copy may overlap what it writes.
    for (const end = out + length; out < end; out++) output[out] = output[out - distance] ?? 0;
  }
  return undefined;
}
