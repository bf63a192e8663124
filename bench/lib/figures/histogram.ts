import { LATENCY_SHARES, type Latency } from './statistics.ts';

/**
 * Latencies in buckets whose width grows with the value, as in an HdrHistogram: constant memory however long the run,
 * and no value is off by more than 1/128 of itself.
 */
export interface Histogram {
  /** @param valueUs a whole number of microseconds; negative ones count as 0, those past an hour as an hour */
  record(valueUs: number): void;
  readonly count: number;
  /** The largest value recorded, exactly; 0 when there is none. */
  readonly maxUs: number;
  /** The smallest value that at least this share (0 to 1) of the records do not exceed, in microseconds. */
  quantileUs(share: number): number;
}

/** Buckets per doubling; below this value every microsecond has a bucket of its own. */
const STEPS = 128;
const STEP_BITS = 7;
const LARGEST_US = 3_600_000_000;

export function createHistogram(): Histogram {
  const counts = new Float64Array(bucketOf(LARGEST_US) + 1);
  let count = 0;
  let maxUs = 0;
  return {
    record(valueUs) {
      const bounded = Math.min(LARGEST_US, Math.max(0, Math.round(valueUs)));
      const bucket = bucketOf(bounded);
      counts[bucket] = (counts[bucket] ?? 0) + 1;
      count += 1;
      if (bounded > maxUs) maxUs = bounded;
    },
    get count() {
      return count;
    },
    get maxUs() {
      return maxUs;
    },
    quantileUs(share) {
      const wanted = Math.max(1, Math.ceil(share * count));
      let seen = 0;
      for (const [bucket, held] of counts.entries()) {
        seen += held;
        if (seen >= wanted) return Math.min(maxUs, highestIn(bucket));
      }
      return maxUs;
    },
  };
}

/** Values from 2^k × 128 to 2^(k+1) × 128 share 128 buckets of 2^k microseconds each. */
function bucketOf(valueUs: number): number {
  if (valueUs < STEPS) return valueUs;
  const shift = 31 - Math.clz32(valueUs) - STEP_BITS;
  return shift * STEPS + Math.floor(valueUs / 2 ** shift);
}

function highestIn(bucket: number): number {
  if (bucket < 2 * STEPS) return bucket;
  const shift = Math.floor(bucket / STEPS) - 1;
  return (bucket - shift * STEPS + 1) * 2 ** shift - 1;
}

/** The distribution that reports keep of a histogram. */
export function latencyOf(histogram: Histogram): Latency {
  return {
    points: LATENCY_SHARES.map((share) => ({ share, ms: histogram.quantileUs(share) / 1000 })),
    maxMs: histogram.maxUs / 1000,
  };
}
