/** Bytes in one growing piece of memory, which is reused after `clear`. */
export interface ByteBuffer {
  /** A length: LEB128. */
  varint(value: number): void;
  /** A text in UTF-8 after its length. Lone surrogates become U+FFFD. */
  text(value: string): void;
  uint8(value: number): void;
  uint16(value: number): void;
  /** Little-endian, as all numbers. Takes the lowest 32 bits of an integer. */
  uint32(value: number): void;
  float64(value: number): void;
  /** A UUID as ClickHouse keeps it: two 64-bit numbers. Throws for another text. */
  uuid(value: string): void;
  append(other: ByteBuffer): void;
  raw(bytes: Uint8Array): void;
  /** Writes the bytes from a place on again, so many times. */
  repeat(from: number, times: number): void;
  /** The number of bytes so far. */
  readonly length: number;
  /** All bytes so far. Valid until the next call of another function. */
  bytes(): Uint8Array;
  clear(): void;
}

const FIRST_BYTES = 4 * 1024;
/** UTF-8 takes at most three bytes per UTF-16 unit. */
const BYTES_PER_UNIT = 3;
const VARINT_BYTES = 5;
/** Up to here a loop over the characters costs less than a call of the runtime. */
const SHORT_UNITS = 24;

export function createByteBuffer(firstBytes = FIRST_BYTES): ByteBuffer {
  let buffer = Buffer.allocUnsafeSlow(firstBytes);
  let length = 0;

  function reserve(sizeBytes: number): void {
    const least = length + sizeBytes;
    if (least <= buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(least, buffer.length * 2));
    buffer.copy(larger, 0, 0, length);
    buffer = larger;
  }

  function varint(value: number): void {
    reserve(VARINT_BYTES);
    length = putVarint(buffer, length, value);
  }

  function raw(bytes: Uint8Array): void {
    reserve(bytes.length);
    buffer.set(bytes, length);
    length += bytes.length;
  }

  /** Writes a short text of ASCII characters. False: it has others, and nothing is written. */
  function shortText(value: string): boolean {
    const units = value.length;
    for (let i = 0; i < units; i++) {
      const unit = value.charCodeAt(i);
      if (unit > 0x7f) return false;
      buffer[length + 1 + i] = unit;
    }
    buffer[length] = units;
    length += units + 1;
    return true;
  }

  return {
    varint,
    text(value) {
      const units = value.length;
      reserve(units * BYTES_PER_UNIT + VARINT_BYTES);
      if (units <= SHORT_UNITS && shortText(value)) return;
      // The length is known after the write. If the text is not ASCII, its place may be too small.
      const guessed = varintBytes(units);
      const written = buffer.write(value, length + guessed, 'utf8');
      const needed = varintBytes(written);
      if (needed !== guessed) buffer.copyWithin(length + needed, length + guessed, length + guessed + written);
      length = putVarint(buffer, length, written) + written;
    },
    uint8(value) {
      reserve(1);
      buffer[length] = value;
      length += 1;
    },
    uint16(value) {
      reserve(2);
      buffer[length] = value;
      buffer[length + 1] = value >>> 8;
      length += 2;
    },
    uint32(value) {
      reserve(4);
      length = putUint32(buffer, length, value);
    },
    float64(value) {
      reserve(8);
      length = buffer.writeDoubleLE(value, length);
    },
    uuid(value) {
      reserve(16);
      if (value.length !== 36 || !putUuid(buffer, length, value)) {
        throw new Error(`${JSON.stringify(value.slice(0, 100))} is no UUID.`);
      }
      length += 16;
    },
    append: (other) => raw(other.bytes()),
    raw,
    repeat(from, times) {
      const size = length - from;
      reserve(size * times);
      const end = length + size * times;
      // Each copy doubles what is there.
      while (length < end) {
        const more = Math.min(length - from, end - length);
        buffer.copyWithin(length, from, from + more);
        length += more;
      }
    },
    get length() {
      return length;
    },
    bytes: () => buffer.subarray(0, length),
    clear() {
      length = 0;
    },
  };
}

function putUint32(buffer: Buffer, at: number, value: number): number {
  buffer[at] = value;
  buffer[at + 1] = value >>> 8;
  buffer[at + 2] = value >>> 16;
  buffer[at + 3] = value >>> 24;
  return at + 4;
}

function putVarint(buffer: Buffer, at: number, value: number): number {
  let rest = value;
  let end = at;
  for (; rest > 0x7f; rest >>>= 7) buffer[end++] = (rest & 0x7f) | 0x80;
  buffer[end] = rest;
  return end + 1;
}

function varintBytes(value: number): number {
  if (value < 2 ** 7) return 1;
  if (value < 2 ** 14) return 2;
  if (value < 2 ** 21) return 3;
  return value < 2 ** 28 ? 4 : VARINT_BYTES;
}

/** The place of each pair of digits of a UUID's text in ClickHouse's order: of each half the last byte first. */
const PAIRS = [16, 14, 11, 9, 6, 4, 2, 0, 34, 32, 30, 28, 26, 24, 21, 19];
const HYPHENS = [8, 13, 18, 23];

function putUuid(buffer: Buffer, at: number, value: string): boolean {
  for (const hyphen of HYPHENS) if (value.charCodeAt(hyphen) !== 0x2d) return false;
  let invalid = 0;
  for (let place = 0; place < 16; place++) {
    const from = PAIRS[place] ?? 0;
    const byte = (DIGITS[value.charCodeAt(from)] ?? NO_DIGIT) * 16 + (DIGITS[value.charCodeAt(from + 1)] ?? NO_DIGIT);
    invalid |= byte;
    buffer[at + place] = byte;
  }
  return invalid <= 0xff;
}

/** More than any byte of two digits. */
const NO_DIGIT = 256;
/** The value of each hexadecimal digit by its character code. */
const DIGITS = Uint16Array.from({ length: 128 }, (_, code) => {
  const digit = '0123456789abcdef'.indexOf(String.fromCharCode(code).toLowerCase());
  return digit === -1 ? NO_DIGIT : digit;
});
