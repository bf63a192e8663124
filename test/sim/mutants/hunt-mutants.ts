import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { MUTANTS } from './mutants.ts';
import { runSeeds } from '../run-seeds.ts';
import { simulationOf } from '../simulations.ts';
import type { Mutant } from './mutant.ts';

/** The result of hunting one mutant. */
export type Hunt =
  | { kind: 'caught'; name: string; seed: number; invariant: string }
  | { kind: 'survived'; name: string; seeds: number }
  /** There was a violation, but it does not prove that the invariants catch the mutant. */
  | { kind: 'unproved'; name: string; seed: number; reason: string };

export interface HuntOptions {
  mutants?: readonly Mutant[];
  /** Hunts at the same time, each in a process of its own. */
  workers: number;
  /** Where a hunt begins, by mutant; seed 1 when absent. */
  startSeeds?: Readonly<Record<string, number>>;
  /** Runs without a violation after which a mutant has survived; by default several times what the rarest one takes. */
  maxSeeds?: number;
  onHunt?: (hunt: Hunt) => void;
}

const MAX_SEEDS = 1_200;

const SEEDS_FILE = fileURLToPath(new URL('../../fixtures/sim/mutant-seeds.json', import.meta.url));

/**
 * Mutant → the seed that caught it when the file was last written. A hunt that begins there usually ends at once; from
 * seed 1 it takes up to a minute. After a change of the service or of the simulation other seeds catch it, and hunts
 * take longer.
 */
export function readStartSeeds(): Record<string, number> {
  return JSON.parse(readFileSync(SEEDS_FILE, 'utf8'));
}

export function writeStartSeeds(hunts: readonly Hunt[]): void {
  const caughtIn = new Map(hunts.flatMap((hunt) => (hunt.kind === 'caught' ? [[hunt.name, hunt.seed]] : [])));
  const seeds = Object.fromEntries(MUTANTS.map(({ name }) => [name, caughtIn.get(name) ?? 1]));
  writeFileSync(SEEDS_FILE, `${JSON.stringify(seeds, undefined, 2)}\n`);
}

/**
 * Runs seeds with each mutant until an invariant fails, then runs that seed without the mutant, which must find no
 * violation.
 */
export async function huntMutants(options: HuntOptions): Promise<Hunt[]> {
  const { mutants = MUTANTS, workers, startSeeds = {}, maxSeeds = MAX_SEEDS, onHunt } = options;
  const hunts: Hunt[] = [];
  const waiting = [...mutants];

  /** Runs take turns: a run is reproducible only while no other runs in the same process. */
  let turn: Promise<unknown> = Promise.resolve();
  const simulateAlone = (seed: number, { faults, simulation = 'service' }: Mutant) => {
    const life = turn.then(async () => (await simulationOf(simulation))(seed, { faults }));
    turn = life.catch(() => {});
    return life;
  };

  const hunt = async (hunted: Mutant): Promise<Hunt> => {
    const { name, faults, simulation } = hunted;
    const run = await runSeeds({
      from: startSeeds[name] ?? 1,
      count: maxSeeds,
      workers: 1,
      mutant: name,
      simulation,
      faults,
      enough: 1,
    });
    const [caught] = run.violations;
    if (caught === undefined) return { kind: 'survived', name, seeds: run.seeds };
    const { seed, invariant } = caught;
    const isMergeThatWaits = simulation === 'merges' && invariant === 'ends';
    if ((invariant === 'simulation' || invariant === 'ends') && !isMergeThatWaits) {
      return { kind: 'unproved', name, seed, reason: `${invariant}: ${caught.message}` };
    }
    const { violation } = await simulateAlone(seed, hunted);
    if (violation === undefined) return { kind: 'caught', name, seed, invariant };
    return { kind: 'unproved', name, seed, reason: `without the mutant: ${violation.invariant}: ${violation.message}` };
  };

  const work = async (): Promise<void> => {
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      const result = await hunt(mutant);
      hunts.push(result);
      onHunt?.(result);
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  return hunts;
}
