import { seededHash } from './hash.ts';

/** One part of a split. Weights are not negative and need not sum to anything. */
export interface Part<T> {
  weight: number;
  item: T;
}

/**
 * Splits players by weight: each part gets the range of the hash that its weight is of the sum, in order. The last part
 * with a weight takes what rounding leaves. The seed is the salt and `:variant`, so that who is under a roll-out's
 * percentage says nothing of the variant.
 * @returns player id → item, the same for ever; `undefined` when no part has a weight
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
