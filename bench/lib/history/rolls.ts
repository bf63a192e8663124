/** A number in [0, 1) that follows from its arguments: the same choice at each run, in any order. */
export function roll(seed: number, player: number, turn: number, what: number): number {
  let hash = Math.imul(seed ^ 0x9e37_79b9, 0x85eb_ca6b);
  for (const part of [player, turn, what]) {
    hash = Math.imul(hash ^ part, 0xcc9e_2d51);
    hash = Math.imul((hash << 15) | (hash >>> 17), 0x1b87_3593) + 0xe654_6b64;
  }
  // The finalizer of MurmurHash3.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

/** A whole number from 0 to `below` - 1. */
export function rollWhole(below: number, seed: number, player: number, turn: number, what: number): number {
  return Math.floor(roll(seed, player, turn, what) * below);
}
