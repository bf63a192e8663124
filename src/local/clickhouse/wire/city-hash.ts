/*
 * CityHash128 in version 1.0.2, whose values differ from later versions: ClickHouse's compressed blocks carry it as
 * their checksum. All numbers are unsigned integers of 64 bits.
 */

const K0 = 0xc3a5c85c97cb3127n;
const K1 = 0xb492b66fbe98f273n;
const K2 = 0x9ae16a3b2f90404fn;
const K3 = 0xc949d7c7509e6557n;
const K_MUL = 0x9ddfea08eb382d69n;

const u64 = (value: bigint): bigint => BigInt.asUintN(64, value);
const rotate = (value: bigint, shift: bigint): bigint => u64((value >> shift) | (value << (64n - shift)));
const mix = (value: bigint): bigint => value ^ (value >> 47n);

/** The checksum of `bytes`: 16 bytes, the low half first. */
export function cityHash128(bytes: Buffer): Buffer {
  const size = BigInt(bytes.length);
  let low: bigint;
  let high: bigint;
  if (bytes.length >= 16) {
    [low, high] = withSeed(bytes.subarray(16), word(bytes, 0) ^ K3, word(bytes, 8));
  } else if (bytes.length >= 8) {
    const seed = word(bytes, 0) ^ u64(size * K0);
    [low, high] = withSeed(Buffer.alloc(0), seed, word(bytes, bytes.length - 8) ^ K1);
  } else {
    [low, high] = withSeed(bytes, K0, K1);
  }
  const hash = Buffer.alloc(16);
  hash.writeBigUInt64LE(low, 0);
  hash.writeBigUInt64LE(high, 8);
  return hash;
}

type Pair = [bigint, bigint];

function withSeed(bytes: Buffer, seed0: bigint, seed1: bigint): Pair {
  if (bytes.length < 128) return ofShort(bytes, seed0, seed1);
  let x = seed0;
  let y = seed1;
  let z = u64(K1 * BigInt(bytes.length));
  const v0 = u64(rotate(y ^ K1, 49n) * K1 + word(bytes, 0));
  let v: Pair = [v0, u64(rotate(v0, 42n) * K1 + word(bytes, 8))];
  let w: Pair = [u64(rotate(u64(y + z), 35n) * K1 + x), u64(rotate(u64(x + word(bytes, 88)), 53n) * K1)];
  let at = 0;
  for (; bytes.length - at >= 128;) {
    // The algorithm takes 128 bytes at a time, in two equal rounds.
    for (let round = 0; round < 2; round++, at += 64) {
      x = u64(rotate(u64(x + y + v[0] + word(bytes, at + 16)), 37n) * K1) ^ w[1];
      y = u64(rotate(u64(y + v[1] + word(bytes, at + 48)), 42n) * K1) ^ v[0];
      z = rotate(z ^ w[0], 33n);
      v = weak(bytes, at, u64(v[1] * K1), u64(x + w[0]));
      w = weak(bytes, at + 32, u64(z + w[1]), y);
      [x, z] = [z, x];
    }
  }
  y = u64(y + rotate(w[0], 37n) * K0 + z);
  x = u64(x + rotate(u64(v[0] + z), 49n) * K0);
  const left = bytes.length - at;
  // Up to four pieces of 32 bytes from the end, which overlap what was already hashed.
  for (let done = 32; done - 32 < left; done += 32) {
    y = u64(rotate(u64(y - x), 42n) * K0 + v[1]);
    w[0] = u64(w[0] + word(bytes, bytes.length - done + 16));
    x = u64(rotate(x, 49n) * K0 + w[0]);
    w[0] = u64(w[0] + v[0]);
    v = weak(bytes, bytes.length - done, v[0], v[1]);
  }
  x = to64(x, v[0]);
  y = to64(y, w[0]);
  return [u64(to64(u64(x + v[1]), w[1]) + y), to64(u64(x + w[1]), u64(y + v[1]))];
}

/** Fewer than 128 bytes. */
function ofShort(bytes: Buffer, seed0: bigint, seed1: bigint): Pair {
  let [a, b] = [seed0, seed1];
  let c: bigint;
  let d: bigint;
  const size = bytes.length;
  if (size <= 16) {
    a = u64(mix(u64(a * K1)) * K1);
    c = u64(b * K1 + upTo16(bytes));
    d = mix(u64(a + (size >= 8 ? word(bytes, 0) : c)));
  } else {
    c = to64(u64(word(bytes, size - 8) + K1), a);
    d = to64(u64(b + BigInt(size)), u64(c + word(bytes, size - 16)));
    a = u64(a + d);
    for (let at = 0; at < size - 16; at += 16) {
      a = u64((a ^ u64(mix(u64(word(bytes, at) * K1)) * K1)) * K1);
      b ^= a;
      c = u64((c ^ u64(mix(u64(word(bytes, at + 8) * K1)) * K1)) * K1);
      d ^= c;
    }
  }
  a = to64(a, c);
  b = to64(d, b);
  return [a ^ b, to64(b, a)];
}

function upTo16(bytes: Buffer): bigint {
  const size = BigInt(bytes.length);
  if (bytes.length > 8) {
    const a = word(bytes, 0);
    const b = word(bytes, bytes.length - 8);
    return to64(a, rotate(u64(b + size), size)) ^ b;
  }
  if (bytes.length >= 4) {
    const a = BigInt(bytes.readUInt32LE(0));
    return to64((a << 3n) + size, BigInt(bytes.readUInt32LE(bytes.length - 4)));
  }
  if (bytes.length === 0) return K2;
  const byte = (at: number): bigint => BigInt(bytes[at] ?? 0);
  const y = byte(0) + (byte(bytes.length >> 1) << 8n);
  const z = size + (byte(bytes.length - 1) << 2n);
  return u64(mix(u64(y * K2) ^ u64(z * K3)) * K2);
}

function weak(bytes: Buffer, at: number, seed0: bigint, seed1: bigint): Pair {
  const last = word(bytes, at + 24);
  const a = u64(seed0 + word(bytes, at));
  const b = rotate(u64(seed1 + a + last), 21n);
  const sum = u64(a + word(bytes, at + 8) + word(bytes, at + 16));
  return [u64(sum + last), u64(b + rotate(sum, 44n) + a)];
}

function to64(u: bigint, v: bigint): bigint {
  const a = mix(u64((u ^ v) * K_MUL));
  return u64(mix(u64((v ^ a) * K_MUL)) * K_MUL);
}

const word = (bytes: Buffer, at: number): bigint => bytes.readBigUInt64LE(at);
