/**
 * Hash version 2 of GrowthBook's SDK specification, for one seed:
 *
 *     fnv1a32(String(fnv1a32(seed + value))) mod 10,000
 *
 * The seed is hashed once, and the digits of the inner hash are hashed without building a string. Characters are UTF-16
 * code units, as in GrowthBook's JavaScript; seeds and player ids are ASCII, so these equal the bytes.
 * The specification divides it by 10,000. Buckets are integers here, since fractions of a percentage are inexact:
 * 0.07 % included the bucket 7.
 * @returns value → its bucket, an integer from 0 to 9,999, uniformly distributed
 */
export function seededBucket(seed: string): (value: string) => number {
  const seeded = fnv1a(FNV_BASIS, seed);
  return (value) => fnv1aOfDecimal(fnv1a(seeded, value) >>> 0) % BUCKETS;
}

export const BUCKETS = 10_000;

/** The number of buckets of a percentage, which includes those below it. */
export function bucketsIn(percentage: number): number {
  return Math.round((percentage * BUCKETS) / 100);
}

/** FNV-1a of a text, unsigned. */
export function textHash(text: string): number {
  return fnv1a(FNV_BASIS, text) >>> 0;
}

/** FNV-1a, 32 bits (RFC 9923): offset basis and prime. States are signed integers, which engines keep unboxed. */
const FNV_BASIS = 0x811c9dc5 | 0;
const FNV_PRIME = 0x01000193;

/** Continues the hash from `state`. */
function fnv1a(state: number, text: string): number {
  let hash = state;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME);
  return hash;
}

/** FNV-1a of the decimal digits of an unsigned 32-bit integer; unsigned. */
function fnv1aOfDecimal(number: number): number {
  // Three quarters of all numbers have ten digits. Their halves are small integers, which divide fast.
  if (number < TEN_DIGITS) return fnv1a(FNV_BASIS, String(number)) >>> 0;
  const high = Math.floor(number / FIVE_PLACES);
  return fiveDigits(fiveDigits(FNV_BASIS, high), number - high * FIVE_PLACES) >>> 0;
}

const TEN_DIGITS = 1_000_000_000;
const FIVE_PLACES = 100_000;

/** Continues the hash with the five digits of a number below 100,000, leading zeros included. */
function fiveDigits(state: number, number: number): number {
  const first = (number / 10_000) | 0;
  const second = (number / 1_000) | 0;
  const third = (number / 100) | 0;
  const fourth = (number / 10) | 0;
  let hash = digit(state, first);
  hash = digit(hash, second - first * 10);
  hash = digit(hash, third - second * 10);
  hash = digit(hash, fourth - third * 10);
  return digit(hash, number - fourth * 10);
}

const ZERO = 0x30;

function digit(state: number, value: number): number {
  return Math.imul(state ^ (ZERO + value), FNV_PRIME);
}
