import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { huntMutants, readStartSeeds } from './hunt-mutants.ts';
import { MUTANTS } from './mutants.ts';
import { changesByFile, mutate } from './mutate.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const QUICK_MUTANT = 'no fence';
const NEEDS_HANDOVER = 'an answer without facts and without the lease check';

/* `npm run sim -- --mutants` proves that the simulation catches each of them. Here is what a change of the service can break. */

describe('a mutant', () => {
  it('has a name of its own', () => {
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

  it('that the simulation must catch is caught, in a life that is clean without it', async () => {
    const mutants = MUTANTS.filter(({ name }) => name === QUICK_MUTANT);
    const hunts = await huntMutants({ mutants, workers: 1, startSeeds: readStartSeeds() });
    expect(hunts).toMatchObject([{ kind: 'caught', name: QUICK_MUTANT }]);
  });

  it('that does no harm under the faults of a run is reported as a survivor', async () => {
    const mutants = MUTANTS.filter(({ name }) => name === NEEDS_HANDOVER).map((mutant) => ({
      ...mutant,
      faults: ['night'] as const,
    }));
    const hunts = await huntMutants({ mutants, workers: 1, maxSeeds: 3 });
    expect(hunts).toEqual([{ kind: 'survived', name: NEEDS_HANDOVER, seeds: 3 }]);
  });
});

describe('the changes of a mutant', () => {
  const change = (original: string, mutated: string) => ({ file: 'a.ts', original, mutated });

  it('to one file all apply, each to what the former left', () => {
    expect(mutate('const a = 1;\nconst b = 2;\n', [change('a = 1', 'a = 3'), change('b = 2', 'b = $&4')])).toBe(
      'const a = 3;\nconst b = $&4;\n',
    );
    expect(mutate('const a = 1;', [change('a = 1', 'a = 2'), change('a = 2', 'a = 3')])).toBe('const a = 3;');
  });

  it('are refused when a text is missing or occurs twice', () => {
    expect(() => mutate('const a = 1;', [change('b', 'c')])).toThrow('a.ts contains 0 times, not once: b');
    expect(() => mutate('a + a', [change('a', 'b')])).toThrow('a.ts contains 2 times, not once: a');
  });
});
