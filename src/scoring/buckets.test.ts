import { assert, constantFrom, float, property, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bucketOf, forcedBucketOf, scoreWithin } from './buckets.ts';
import { shippedManifest } from './testing-packages.ts';

const thresholds = { top_1pct: Math.fround(0.34), top_5pct: Math.fround(0.12), top_10pct: Math.fround(0.06) };
/** The next float32 below a positive one. */
const below = (value: number): number => {
  const bits = new Int32Array(new Float32Array([value]).buffer);
  bits[0] = (bits[0] ?? 0) - 1;
  return new Float32Array(bits.buffer)[0] ?? NaN;
};

describe('a bucket', () => {
  it('starts exactly at its threshold', () => {
    for (const bucket of ['top_1pct', 'top_5pct', 'top_10pct'] as const) {
      expect(bucketOf(thresholds[bucket], thresholds)).toBe(bucket);
      expect(below(thresholds[bucket])).toBeLessThan(thresholds[bucket]);
      expect(bucketOf(below(thresholds[bucket]), thresholds)).not.toBe(bucket);
    }
    expect(bucketOf(0, thresholds)).toBe('rest');
    expect(bucketOf(1, thresholds)).toBe('top_1pct');
  });

  it('contains its forced score for any thresholds', () => {
    const share = float({ min: 2 ** -20, max: below(1), noNaN: true });
    const three = tuple(share, share, share).filter(([a, b, c]) => new Set([a, b, c]).size === 3);
    assert(
      property(three, constantFrom('top_1pct', 'top_5pct', 'top_10pct', 'rest'), (values, bucket) => {
        const [top_10pct = 0, top_5pct = 0, top_1pct = 0] = values.toSorted((a, b) => a - b);
        const some = { top_1pct, top_5pct, top_10pct };
        const score = scoreWithin(bucket, some);
        expect(Math.fround(score)).toBe(score);
        expect(bucketOf(score, some)).toBe(bucket);
      }),
    );
  });
});

describe('a reserved device id', () => {
  it.each([
    ['SERVICE_TEST_TOP_1PCT', 'top_1pct'],
    ['SERVICE_TEST_TOP_5PCT', 'top_5pct'],
    ['SERVICE_TEST_TOP_10PCT', 'top_10pct'],
    ['SERVICE_TEST_REST', 'rest'],
  ] as const)('%s asks for %s, with test keys only', (deviceId, bucket) => {
    expect(forcedBucketOf('test', deviceId)).toBe(bucket);
    expect(forcedBucketOf('live', deviceId)).toBeUndefined();
    const shipped = shippedManifest().thresholds;
    expect(bucketOf(scoreWithin(bucket, shipped), shipped)).toBe(bucket);
  });

  it('must match exactly', () => {
    for (const other of ['service_test_rest', 'SERVICE_TEST_REST ', 'SERVICE_TEST', '__proto__', 'constructor']) {
      expect(forcedBucketOf('test', other)).toBeUndefined();
    }
  });
});
