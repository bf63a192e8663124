import { seededHash } from './hash.ts';

/** One part of a split. Weights are not negative; their sum is arbitrary. */
export interface Part<T> {
  weight: number;
  item: T;
}

/**
 * Splits players by weight: each part, in order, gets a share of the hash range proportional to its weight. The last
 * part with a weight also gets the rounding remainder. The seed is the salt and `:variant`, which makes the variant
 * independent of the roll-out's percentage.
 * @returns player id → item, always the same; `undefined` if no part has a weight
 */
export function createSplit<T>(salt: string, parts: readonly Part<T>[]): ((playerId: string) => T) | undefined {
  const weighted = parts.filter(({ weight }) => weight > 0);
  const last = weighted.pop();
  if (last === undefined) return undefined;
  const total = weighted.reduce((sum, { weight }) => sum + weight, 0) + last.weight;
  const hash = seededHash(`${salt}:variant`);
  let sum = 0;
  const ranges = weighted.map(({ weight, item }) => ({ end: (sum += weight) / total, item }));
  return (playerId) => {
    const place = hash(playerId);
    for (const range of ranges) if (place < range.end) return range.item;
    return last.item;
  };
}
