import type { FaultKind } from './machines/chaos.ts';
import type { Violation } from './world.ts';

/** `service`: processes, log and stores under every fault. `merges`: merges, by the domain and the gateways. */
export type SimulationName = 'service' | 'merges';

export interface SimulationRun {
  violation: Violation | undefined;
  /** How often the run met each protocol branch and each fault. */
  coverage: ReadonlyMap<string, number>;
  traceHash: number;
}

export interface SimulationOptions {
  /** Receives the history of the run, line by line. */
  onLine?: (line: string) => void;
  /** Only these faults of `service`. */
  faults?: readonly FaultKind[] | undefined;
}

export type Simulate = (seed: number, options?: SimulationOptions) => Promise<SimulationRun>;

/** Imports a simulation, and so the service: a mutant must be applied before. */
export async function simulationOf(name: SimulationName): Promise<Simulate> {
  if (name === 'merges') return (await import('./merges/simulate-merges.ts')).simulateMerges;
  return (await import('./simulate.ts')).simulate;
}
