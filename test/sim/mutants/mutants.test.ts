import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { huntMutants, readStartSeeds } from './hunt-mutants.ts';
import { MUTANTS } from './mutants.ts';
import { changesByFile, mutate } from './mutate.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const QUICK_MUTANT = 'appends carry no expected sequence, so nothing fences a former owner';
const NEEDS_HANDOVER = 'the owner answers commands without facts, and queries, without checking its lease';

/*
 * `npm run sim -- --mutants` proves that the simulation catches every mutant. These tests show which mutants still
 * apply.
 */

describe('a mutant', () => {
  it('has a unique name', () => {
    expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
  });

  it.each(MUTANTS)('applies to the source, and the result parses: $name', ({ changes }) => {
    for (const [file, ofFile] of changesByFile(changes)) {
      const source = readFileSync(resolve(ROOT, file), 'utf8');
      const mutated = mutate(source, ofFile);
      expect(mutated).not.toBe(source);
      expect(() => stripTypeScriptTypes(mutated)).not.toThrow();
    }
  });

  it('is caught in a run that is clean without it', async () => {
    const mutants = MUTANTS.filter(({ name }) => name === QUICK_MUTANT);
    const hunts = await huntMutants({ mutants, workers: 1, startSeeds: readStartSeeds() });
    expect(hunts).toMatchObject([{ kind: 'caught', name: QUICK_MUTANT }]);
  });

  it('is reported as a survivor if it causes no violation under the faults of the run', async () => {
    const mutants = MUTANTS.filter(({ name }) => name === NEEDS_HANDOVER).map((mutant) => ({
      ...mutant,
      faults: ['night'] as const,
    }));
    const hunts = await huntMutants({ mutants, workers: 1, maxSeeds: 3 });
    expect(hunts).toEqual([{ kind: 'survived', name: NEEDS_HANDOVER, seeds: 3 }]);
  });
});

describe('mutate', () => {
  const change = (original: string, mutated: string) => ({ file: 'a.ts', original, mutated });

  it('applies the changes in order, each to the result of the one before', () => {
    expect(mutate('const a = 1;\nconst b = 2;\n', [change('a = 1', 'a = 3'), change('b = 2', 'b = $&4')])).toBe(
      'const a = 3;\nconst b = $&4;\n',
    );
    expect(mutate('const a = 1;', [change('a = 1', 'a = 2'), change('a = 2', 'a = 3')])).toBe('const a = 3;');
  });

  it('refuses a text that is missing or occurs twice', () => {
    expect(() => mutate('const a = 1;', [change('b', 'c')])).toThrow('a.ts contains 0 times, not once: b');
    expect(() => mutate('a + a', [change('a', 'b')])).toThrow('a.ts contains 2 times, not once: a');
  });
});
