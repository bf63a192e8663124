import { BUCKETS, seededBucket } from '../../conditions/buckets/hash.ts';

/** One part of a split. Weights are not negative; their sum is arbitrary. */
export interface Part<T> {
  weight: number;
  item: T;
}

export interface Split<T> {
  /** The bucket of a key, by default the player's id. It is independent of the one of a roll-out. */
  bucketOf: (key: string) => number;
  itemOf: (key: string) => T;
}

/**
 * Splits players by weight: each part, in order, gets a share of the buckets proportional to its weight. The last part
 * with a weight also gets the rounding remainder. The seed is the salt and `:variant`, which makes the variant
 * independent of the roll-out's percentage.
 * @returns `undefined` if no part has a weight
 */
export function createSplit<T>(salt: string, parts: readonly Part<T>[]): Split<T> | undefined {
  const weighted = parts.filter(({ weight }) => weight > 0);
  const last = weighted.pop();
  if (last === undefined) return undefined;
  const bucketOf = seededBucket(`${salt}:variant`);
  const ends = endsOf([...weighted, last]);
  const ranges = weighted.map(({ item }, place) => ({ end: ends[place] ?? BUCKETS, item }));
  return {
    bucketOf,
    itemOf(key) {
      const bucket = bucketOf(key);
      for (const range of ranges) if (bucket < range.end) return range.item;
      return last.item;
    },
  };
}

/** The buckets at which parts end, in their order. Each has a weight above 0. */
export function endsOf(parts: readonly { weight: number }[]): number[] {
  const total = parts.reduce((sum, { weight }) => sum + weight, 0);
  let sum = 0;
  return parts.map(({ weight }) => Math.round(((sum += weight) / total) * BUCKETS));
}
