import type { Sample } from './comparison.ts';

/** Random numbers in [0, 1), determined by the seed: mulberry32 (T. Ettinger, public domain). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The sample of a list of players' values. */
export function sampleOf(values: readonly number[]): Sample {
  const players = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / players;
  let [second, third, fourth] = [0, 0, 0];
  for (const value of values) {
    const square = (value - mean) ** 2;
    second += square / players;
    third += (square * (value - mean)) / players;
    fourth += (square * square) / players;
  }
  return {
    players,
    conversions: values.filter((value) => value !== 0).length,
    mean,
    variance: (second * players) / (players - 1),
    skewness: third / second ** 1.5,
    kurtosis: fourth / second ** 2,
  };
}

/** A sample of values without outliers, of the shape of a uniform distribution. */
export function evenSample(players: number, mean: number, variance: number): Sample {
  return { players, conversions: players, mean, variance, skewness: 0, kurtosis: 1.8 };
}
