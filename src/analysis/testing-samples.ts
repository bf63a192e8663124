import type { Sample } from './lift.ts';

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
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (players - 1);
  return { players, mean, variance };
}

/** The sample of a conversion rate. */
export function sharesOf(players: number, conversions: number): Sample {
  const mean = conversions / players;
  return { players, mean, variance: (mean * (1 - mean) * players) / (players - 1) };
}
