import { applyMutant } from './mutants/apply-mutant.ts';
import type { FaultKind } from './machines/chaos.ts';
import { simulationOf } from './simulations.ts';
import type { Violation } from './world.ts';

/** Seeds to run, in order. */
export interface WorkOrder {
  from: number;
  count: number;
  /** Only these faults. */
  faults: readonly FaultKind[] | undefined;
}

/** The result of one seed. */
export interface SeedReport {
  seed: number;
  violation: Violation | undefined;
  coverage: string[];
  traceHash: number;
}

// The mutant must be applied before the service is imported.
const [simulation = 'service', mutant] = process.argv.slice(2);
if (mutant !== undefined) applyMutant(mutant);
const simulate = await simulationOf(simulation === 'merges' ? 'merges' : 'service');

process.on('message', (order: WorkOrder) => void run(order));

async function run({ from, count, faults }: WorkOrder): Promise<void> {
  for (let seed = from; seed < from + count; seed++) {
    const { violation, coverage, traceHash } = await simulate(seed, { faults });
    const report: SeedReport = { seed, violation, coverage: [...coverage.keys()], traceHash };
    process.send?.(report);
  }
}
