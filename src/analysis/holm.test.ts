import { describe, expect, it } from 'vitest';
import { holm } from './holm.ts';

describe('p-values adjusted by Holm', () => {
  it('keep their order and never fall behind a smaller one', () => {
    expect(holm([0.011, 0.04, 0.002, 0.039])).toEqual([0.033, 0.078, 0.008, 0.078]);
    expect(holm([0.03])).toEqual([0.03]);
    expect(holm([0.6, 0.7])).toEqual([1, 1]);
    expect(holm([])).toEqual([]);
  });

  it('count a hypothesis without a p-value as one that is not rejected', () => {
    expect(holm([0.02, null, 0.03])).toEqual([0.06, null, 0.06]);
    expect(holm([null])).toEqual([null]);
  });
});
