import type { ScoreBucket } from '../../core/vocabulary/records/score-record.ts';
import type { Environment } from '../../core/vocabulary/documents/scope.ts';

/** All buckets, from the highest scores to the lowest. */
export const BUCKETS = ['top_1pct', 'top_5pct', 'top_10pct', 'rest'] as const satisfies readonly ScoreBucket[];

/**
 * The lowest score of each bucket but the last: a model's 99th, 95th and 90th percentiles. Descending, inside (0, 1).
 */
export interface Thresholds {
  top_1pct: number;
  top_5pct: number;
  top_10pct: number;
}

/**
 * The bucket of a score. A score equal to a threshold is in that threshold's bucket. Both are widened float32 numbers.
 */
export function bucketOf(score: number, thresholds: Thresholds): ScoreBucket {
  if (score >= thresholds.top_1pct) return 'top_1pct';
  if (score >= thresholds.top_5pct) return 'top_5pct';
  return score >= thresholds.top_10pct ? 'top_10pct' : 'rest';
}

/** Device ids that return a fixed bucket with test keys, so integrators can test each response. */
const RESERVED: ReadonlyMap<string, ScoreBucket> = new Map([
  ['SERVICE_TEST_TOP_1PCT', 'top_1pct'],
  ['SERVICE_TEST_TOP_5PCT', 'top_5pct'],
  ['SERVICE_TEST_TOP_10PCT', 'top_10pct'],
  ['SERVICE_TEST_REST', 'rest'],
]);

/** The bucket of a reserved device id. With live keys a reserved id has no special meaning. */
export function forcedBucketOf(environment: Environment, deviceId: string): ScoreBucket | undefined {
  return environment === 'test' ? RESERVED.get(deviceId) : undefined;
}

/** A score in the middle of a bucket, as float32. */
export function scoreWithin(bucket: ScoreBucket, { top_1pct, top_5pct, top_10pct }: Thresholds): number {
  const edges = {
    top_1pct: [top_1pct, 1],
    top_5pct: [top_5pct, top_1pct],
    top_10pct: [top_10pct, top_5pct],
    rest: [0, top_10pct],
  } as const;
  const [from, to] = edges[bucket];
  const middle = Math.fround((from + to) / 2);
  // If the edges are adjacent float32 numbers, the middle rounds to one of them; the lower edge is in the bucket.
  return middle < to ? middle : from;
}
