/** Seeded randomness. The same seed makes the same choices, although two runs of real processes are never equal. */
export interface Random {
  /** A number in [0, 1). */
  next(): number;
  /** An integer from `min` to `max`, both included. */
  between(min: number, max: number): number;
  /** True with this probability. */
  chance(probability: number): boolean;
  /** One item of a list that is not empty. */
  pick<T>(list: readonly T[]): T;
  /** One of the names, by weight. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K;
  /** An independent sequence, so that more choices of one consumer do not change those of another. */
  fork(): Random;
}

/** mulberry32: small, and random enough to distribute faults. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;

  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  const between = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));

  function weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
    const names = Object.keys(weights).filter((name): name is K => name in weights);
    const total = names.reduce((sum, name) => sum + weights[name], 0);
    let left = next() * total;
    const found = names.find((name) => (left -= weights[name]) < 0) ?? names.at(-1);
    if (found === undefined) throw new Error('nothing to choose from');
    return found;
  }

  return {
    next,
    between,
    chance: (probability) => next() < probability,
    pick(list) {
      const found = list[between(0, list.length - 1)];
      if (found === undefined) throw new Error('nothing to pick from');
      return found;
    },
    weighted,
    fork: () => createRandom(Math.floor(next() * 2 ** 32)),
  };
}
