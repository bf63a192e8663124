import { expect, test } from 'vitest';
import { measurePairs } from './measure-pairs.ts';

/** Keeps the processor busy for about this long. */
function spin(durationMs: number): true {
  const until = performance.now() + durationMs;
  while (performance.now() < until);
  return true;
}

test('times are per operation, and the ratio is of work to reference', () => {
  const [figures] = measurePairs(
    [
      {
        name: 'twice as long',
        referenceName: 'spinning',
        work: { operations: 10, run: () => spin(2) },
        reference: { operations: 10, run: () => spin(1) },
      },
    ],
    { rounds: 3, roundMs: 10 },
  );
  // A busy machine only ever adds time.
  expect(figures?.workNs).toBeGreaterThanOrEqual(200_000);
  expect(figures?.referenceNs).toBeGreaterThanOrEqual(100_000);
  expect(figures?.ratio).toBeCloseTo((figures?.workNs ?? 0) / (figures?.referenceNs ?? 1), 0);
});

test('work that makes nothing is a mistake', () => {
  const nothing = { operations: 1, run: () => undefined };
  const pair = { name: 'nothing', referenceName: 'nothing', work: nothing, reference: nothing };
  expect(() => measurePairs([pair], { rounds: 1, roundMs: 1 })).toThrow('made nothing');
});
