import { describe, expect, it } from 'vitest';
import { wilsonInterval } from './wilson.ts';

describe('the interval of a share', () => {
  // R. G. Newcombe, Statistics in Medicine 17 (1998), table I, method 3.
  it.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])('%d of %d', (hits, trials, low, high) => {
    const found = wilsonInterval(hits, trials, 0.05);
    expect(found?.low).toBeCloseTo(low, 4);
    expect(found?.high).toBeCloseTo(high, 4);
  });

  it('is unknown without trials', () => {
    expect(wilsonInterval(0, 0, 0.05)).toBeUndefined();
  });
});
