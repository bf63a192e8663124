import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createHistogram } from './histogram.ts';

/** The definition, on sorted values. */
function exactQuantile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1] ?? Number.NaN;
}

test('quantiles are the exact ones, at most 1/128 above', () => {
  const value = fc.oneof(fc.integer({ min: 0, max: 2_000 }), fc.integer({ min: 0, max: 3_600_000_000 }));
  const share = fc.constantFrom(0, 0.01, 0.5, 0.99, 0.999, 1);
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 300 }), share, (values, share) => {
      const histogram = createHistogram();
      for (const one of values) histogram.record(one);
      const exact = exactQuantile(values, share);
      expect(histogram.quantileUs(share)).toBeGreaterThanOrEqual(exact);
      expect(histogram.quantileUs(share)).toBeLessThanOrEqual(exact + exact / 128);
    }),
    { numRuns: 500 },
  );
});

test('values below 256 µs are kept exactly', () => {
  const histogram = createHistogram();
  for (let value = 0; value < 256; value++) histogram.record(value);
  for (let value = 0; value < 256; value++) expect(histogram.quantileUs((value + 1) / 256)).toBe(value);
});

test('the largest value is exact, and no quantile passes it', () => {
  const histogram = createHistogram();
  histogram.record(1_000_001);
  expect(histogram.maxUs).toBe(1_000_001);
  expect(histogram.quantileUs(0.5)).toBe(1_000_001);
});

test('what lies outside is counted at the edge; an empty one answers 0', () => {
  const histogram = createHistogram();
  expect(histogram.quantileUs(0.99)).toBe(0);
  histogram.record(-5);
  histogram.record(1e12);
  expect(histogram.count).toBe(2);
  expect(histogram.quantileUs(0.5)).toBe(0);
  expect(histogram.maxUs).toBe(3_600_000_000);
});
