import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { MUTANTS } from './mutants.ts';
import { runSeeds } from './run-seeds.ts';
import { simulate } from './simulate.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** Enough for the rarest of them several times over. */
const MOST_SEEDS = 1_200;
/** All of them in vain take three to four minutes; that is to be the verdict, and not that a test took long. */
const MOST_MS = 15 * 60_000;

/**
 * Mutant → the seed that caught it when somebody last looked, where its hunt begins: what is caught once in five hundred lives costs a
 * minute from seed 1. After a change of the service or of the simulation other seeds catch it, and hunts take longer again:
 * `MUTANT_SEEDS=write npx vitest run --project sim mutants` hunts from seed 1 and notes where each was caught.
 */
const SEEDS_FILE = resolve(ROOT, 'test/fixtures/sim/mutant-seeds.json');
const isRenewed = process.env['MUTANT_SEEDS'] === 'write';
const lastCaughtIn: Record<string, number> = isRenewed ? {} : JSON.parse(readFileSync(SEEDS_FILE, 'utf8'));

describe('a deliberate bug', () => {
  it.each(MUTANTS)('stands where it is to be made: $name', ({ changes }) => {
    for (const { file, original } of changes) {
      const occurrences = readFileSync(resolve(ROOT, file), 'utf8').split(original).length - 1;
      expect({ file, original, occurrences }).toEqual({ file, original, occurrences: 1 });
    }
  });
});

/** Two hunts at once, one process each: a process takes most of a second to start, and most hunts end soon after it. */
describe.concurrent('a deliberate bug', () => {
  const caughtIn = new Map<string, number>();
  afterAll(() => {
    if (!isRenewed) return;
    const seeds = Object.fromEntries(MUTANTS.map(({ name }) => [name, caughtIn.get(name) ?? 1]));
    writeFileSync(SEEDS_FILE, `${JSON.stringify(seeds, undefined, 2)}\n`);
  });

  /** Lives of this process take turns: each is the same every time only by itself. */
  let turn: Promise<unknown> = Promise.resolve();
  function liveWithoutBug(seed: number, options: Parameters<typeof simulate>[1]): ReturnType<typeof simulate> {
    const life = turn.then(() => simulate(seed, options));
    turn = life.catch(() => {});
    return life;
  }

  it.each(MUTANTS)('is caught: $name', { timeout: MOST_MS }, async ({ name, faults }) => {
    const from = lastCaughtIn[name] ?? 1;
    const run = await runSeeds({ from, count: MOST_SEEDS, workers: 1, mutant: name, faults, enough: 1 });
    const [caught] = run.violations;
    process.stdout.write(`caught "${name}" by ${caught?.invariant} in seed ${caught?.seed}\n`);
    expect(caught?.invariant ?? `not in ${run.seeds} lives`).toMatch(/^(?!simulation|ends|not in)/);
    caughtIn.set(name, caught?.seed ?? 1);
    const { violation } = await liveWithoutBug(caught?.seed ?? 0, { faults });
    expect(violation, 'the same life without the bug').toBeUndefined();
  });
});
