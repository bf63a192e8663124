import { applyMutant } from './mutants/apply-mutant.ts';
import type { FaultKind } from './chaos.ts';
import type { Violation } from './world.ts';

/** Seeds to run, in order. */
export interface WorkOrder {
  from: number;
  count: number;
  /** Only these faults. */
  faults: readonly FaultKind[] | undefined;
}

/** What one seed came to. */
export interface SeedReport {
  seed: number;
  violation: Violation | undefined;
  coverage: string[];
  traceHash: number;
}

// A mutant has to be in place before the service is imported.
const mutant = process.argv[2];
if (mutant !== undefined) applyMutant(mutant);
const { simulate } = await import('./simulate.ts');

process.on('message', (order: WorkOrder) => void run(order));

async function run({ from, count, faults }: WorkOrder): Promise<void> {
  for (let seed = from; seed < from + count; seed++) {
    const { violation, coverage, traceHash } = await simulate(seed, { faults });
    const report: SeedReport = { seed, violation, coverage: [...coverage.keys()], traceHash };
    process.send?.(report);
  }
}
