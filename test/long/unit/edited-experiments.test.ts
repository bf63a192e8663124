import { describe, expect, it } from 'vitest';
import { EDITED_CASES } from '../../experiments/edited-cases.ts';
import { editedExperiment, zOf } from '../../experiments/edited-experiment.ts';

const EXPERIMENTS = 200;

describe('experiments between variants that are the same, edited between veterans and newcomers', () => {
  it.each(EDITED_CASES)(
    '%s: are found to differ in about 5 % of them, to both sides',
    (_, before, after, least) => {
      const runs = Array.from({ length: EXPERIMENTS }, (_run, seed) =>
        editedExperiment(seed + 1, { before, after, each: 300 }),
      );
      const zs = runs.map(zOf);
      const found = zs.filter((z) => Math.abs(z) > 1.96);
      // Of 200 with 5 % each, more than 20 are found once in a thousand times, and fewer than 2 too.
      expect([found.length >= 2, found.length <= 20]).toEqual([true, true]);
      expect(Math.abs(found.filter((z) => z > 0).length - found.length / 2)).toBeLessThanOrEqual(6);
      const players = runs.map((arms) => arms.reduce((sum, arm) => sum + arm.players, 0));
      expect(Math.min(...players)).toBeGreaterThanOrEqual(least);
    },
    120_000,
  );
});
