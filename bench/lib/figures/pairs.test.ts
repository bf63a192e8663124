import { expect, test } from 'vitest';
import { measurePairs } from './pairs.ts';

test('times are per operation, and the ratio is of work to reference', () => {
  let nowMs = 0;
  const take = (durationMs: number): true => {
    nowMs += durationMs;
    return true;
  };
  const [figures] = measurePairs(
    [
      {
        name: 'twice as long',
        referenceName: 'once',
        work: { operations: 10, run: () => take(2) },
        reference: { operations: 10, run: () => take(1) },
      },
    ],
    { rounds: 3, roundMs: 10, nowMs: () => nowMs },
  );
  expect(figures).toMatchObject({ workNs: 200_000, referenceNs: 100_000, ratio: 2 });
});

test('work that returns nothing fails the measurement', () => {
  const nothing = { operations: 1, run: () => undefined };
  const pair = { name: 'nothing', referenceName: 'nothing', work: nothing, reference: nothing };
  expect(() => measurePairs([pair], { rounds: 1, roundMs: 1 })).toThrow('returned nothing');
});
