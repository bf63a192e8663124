import type { Sample } from '../../src/analysis/comparison.ts';

/** The sample of values that come one after another, as a daily look at an experiment sees them. */
export function createMoments(): { add: (value: number) => void; sample: () => Sample } {
  let [players, conversions, first, second, third, fourth] = [0, 0, 0, 0, 0, 0];
  return {
    add(value) {
      players += 1;
      if (value === 0) return;
      conversions += 1;
      const square = value * value;
      first += value;
      second += square;
      third += square * value;
      fourth += square * square;
    },
    sample() {
      const mean = first / players;
      const [of2, of3, of4] = [second / players, third / players, fourth / players];
      const variance = of2 - mean ** 2;
      const cubes = of3 - 3 * mean * of2 + 2 * mean ** 3;
      const fourths = of4 - 4 * mean * of3 + 6 * mean ** 2 * of2 - 3 * mean ** 4;
      return {
        players,
        conversions,
        mean,
        variance: (variance * players) / (players - 1),
        skewness: cubes / variance ** 1.5,
        kurtosis: fourths / variance ** 2,
      };
    },
  };
}
