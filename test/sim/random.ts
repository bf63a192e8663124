/** Seeded random choices. The same seed gives the same choices, so a run can be repeated. */
export interface Random {
  /** A number in [0, 1). */
  next(): number;
  /** An integer in [from, to]. */
  int(from: number, to: number): number;
  /** A number in [from, to). */
  between(from: number, to: number): number;
  /** True with probability `share`. */
  chance(share: number): boolean;
  pick<T>(list: readonly T[]): T;
  /**
   * An independent sequence of choices, so that more choices in one part of the world do not change those in another.
   */
  fork(label: string): Random;
}

/** The generator is sfc32 (C. Doty-Humphrey's small fast counter), seeded by a hash of the seed and the label. */
export function createRandom(seed: number, label = 'world'): Random {
  let [a, b, c, counter] = [seed | 0, hash(label), 0x9e3779b9 ^ seed, 1];

  function next(): number {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return (sum >>> 0) / 0x1_0000_0000;
  }
  for (let round = 0; round < 12; round++) next();

  const int = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1));
  return {
    next,
    int,
    between: (from, to) => from + next() * (to - from),
    chance: (share) => next() < share,
    pick<T>(list: readonly T[]): T {
      const chosen = list[int(0, list.length - 1)];
      if (chosen === undefined) throw new Error('there is nothing to pick from');
      return chosen;
    },
    fork: (inner) => createRandom(seed, `${label}/${inner}`),
  };
}

function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value;
}
