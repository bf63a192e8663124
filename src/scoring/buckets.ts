import type { ScoreBucket } from '../../streams/records/score-record.ts';
import type { Environment } from '../../actors/vocabulary/scope.ts';

/** From the highest down. */
export const BUCKETS = ['top_1pct', 'top_5pct', 'top_10pct', 'rest'] as const satisfies readonly ScoreBucket[];

/** The lowest score of each bucket but the last: a model's 99th, 95th and 90th percentiles. Descending, inside (0, 1). */
export interface Thresholds {
  top_1pct: number;
  top_5pct: number;
  top_10pct: number;
}

/** The bucket of a score; a score equal to a threshold belongs to its bucket. Both are float32 numbers, widened. */
export function bucketOf(score: number, thresholds: Thresholds): ScoreBucket {
  if (score >= thresholds.top_1pct) return 'top_1pct';
  if (score >= thresholds.top_5pct) return 'top_5pct';
  return score >= thresholds.top_10pct ? 'top_10pct' : 'rest';
}

/** Device ids with which an integrator tries each answer out (contract, Authentication 5). */
const RESERVED: ReadonlyMap<string, ScoreBucket> = new Map([
  ['SERVICE_TEST_TOP_1PCT', 'top_1pct'],
  ['SERVICE_TEST_TOP_5PCT', 'top_5pct'],
  ['SERVICE_TEST_TOP_10PCT', 'top_10pct'],
  ['SERVICE_TEST_REST', 'rest'],
]);

/** The bucket that a reserved device id asks for; with live keys it is an id like any other. */
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
  // Where two edges are neighbours in float32, their middle rounds to one of them; the lower one is inside.
  return middle < to ? middle : from;
}
