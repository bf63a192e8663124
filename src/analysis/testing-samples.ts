import type { Clusters } from '../../core/vocabulary/metrics/clusters.ts';
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

/**
 * The sample of players who were drawn together: the mean of all of them, and the jackknife's variance of it, which
 * leaves out one cluster after the other.
 */
export function clusteredSampleOf(clusters: readonly (readonly number[])[]): Sample & { clusters: Clusters } {
  const players = clusters.flat();
  const total = players.reduce((sum, value) => sum + value, 0);
  const mean = total / players.length;
  const influences = clusters.map((cluster) => {
    const others = (total - cluster.reduce((sum, value) => sum + value, 0)) / (players.length - cluster.length);
    return (clusters.length - 1) * (mean - others);
  });
  const squares = clusters.reduce((sum, { length }) => sum + length ** 2, 0);
  return {
    ...sampleOf(influences),
    mean,
    variance: influences.reduce((sum, value) => sum + value ** 2, 0) / (clusters.length - 1),
    players: players.length,
    conversions: players.filter((value) => value !== 0).length,
    clusters: {
      count: clusters.length,
      effective: players.length ** 2 / squares,
      converted: clusters.filter((cluster) => cluster.some((value) => value !== 0)).length,
      unconverted: clusters.filter((cluster) => cluster.includes(0)).length,
    },
  };
}

/** A sample of values without outliers, of the shape of a uniform distribution. */
export function evenSample(players: number, mean: number, variance: number): Sample {
  return { players, conversions: players, mean, variance, skewness: 0, kurtosis: 1.8 };
}
