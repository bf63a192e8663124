/**
 * Hash version 2 of GrowthBook's SDK specification, for one seed: `fnv1a32(String(fnv1a32(seed + value))) mod 10,000 / 10,000`.
 * The seed's part of the inner hash is done once, and the inner hash's digits are hashed without making a string of them.
 * Characters are UTF-16 units, as in GrowthBook's JavaScript; for ASCII, as seeds and player ids are, that is the bytes.
 * @returns value → a number from 0 to 0.9999 in steps of 0.0001, evenly spread
 */
export function seededHash(seed: string): (value: string) => number {
  const seeded = fnv1a(FNV_BASIS, seed);
  return (value) => (fnv1aOfDecimal(fnv1a(seeded, value) >>> 0) % BUCKETS) / BUCKETS;
}

const BUCKETS = 10_000;

/** FNV-1a, 32 bits (RFC 9923): offset basis and prime. States are held as signed integers, which engines keep unboxed. */
const FNV_BASIS = 0x811c9dc5 | 0;
const FNV_PRIME = 0x01000193;

/** Goes on hashing from `state`. */
function fnv1a(state: number, text: string): number {
  let hash = state;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME);
  return hash;
}

/** Digits that fit a small integer in one half, so that no division is of floats. */
const HALF = 100_000;
const ZERO = 0x30;

/** FNV-1a of the decimal digits of an unsigned 32-bit integer; unsigned. */
function fnv1aOfDecimal(number: number): number {
  const high = Math.floor(number / HALF);
  const low = number - high * HALF;
  const hash =
    high === 0
      ? digits(FNV_BASIS, low, firstPlace(low))
      : digits(digits(FNV_BASIS, high, firstPlace(high)), low, HALF / 10);
  return hash >>> 0;
}

/** Goes on hashing with the digits of `number` from the given place of ten down, leading zeros included. */
function digits(state: number, number: number, firstPlace: number): number {
  let hash = state;
  let rest = number;
  for (let place = firstPlace; place >= 1; place = (place / 10) | 0) {
    const digit = (rest / place) | 0;
    rest -= digit * place;
    hash = Math.imul(hash ^ (ZERO + digit), FNV_PRIME);
  }
  return hash;
}

/** The place of the first digit that is not zero; 1 for zero. */
function firstPlace(number: number): number {
  let place = 1;
  while (place * 10 <= number) place *= 10;
  return place;
}
