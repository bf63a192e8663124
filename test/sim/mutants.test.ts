import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MUTANTS } from './mutants.ts';
import { runSeeds } from './run-seeds.ts';
import { simulate } from './simulate.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** Enough for the rarest of them several times over. */
const MOST_SEEDS = 1_200;

describe('a deliberate bug', () => {
  it.each(MUTANTS)('stands where it is to be made: $name', ({ changes }) => {
    for (const { file, original } of changes) {
      const occurrences = readFileSync(resolve(ROOT, file), 'utf8').split(original).length - 1;
      expect({ file, original, occurrences }).toEqual({ file, original, occurrences: 1 });
    }
  });

  it.each(MUTANTS)('is caught: $name', async ({ name, faults }) => {
    const run = await runSeeds({ from: 1, count: MOST_SEEDS, workers: 2, mutant: name, faults, enough: 1 });
    const [caught] = run.violations;
    process.stdout.write(`caught "${name}" by ${caught?.invariant} in seed ${caught?.seed}\n`);
    expect(caught?.invariant).toMatch(/^(?!simulation|ends)/);
    const { violation } = await simulate(caught?.seed ?? 0, { faults });
    expect(violation, 'the same life without the bug').toBeUndefined();
  });
});
