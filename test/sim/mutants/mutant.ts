import type { SimulationName } from '../simulations.ts';
import type { FaultKind } from '../machines/chaos.ts';

/** A text in a file of the service, and its replacement. The text must occur exactly once. */
export interface Change {
  file: string;
  original: string;
  mutated: string;
}

/** A deliberate bug that the simulation must catch. */
export interface Mutant {
  name: string;
  /** The simulation that must catch it; `service` when absent. */
  simulation?: SimulationName;
  /** The only faults to use, for a mutant that needs a rare coincidence. */
  faults?: readonly FaultKind[];
  changes: readonly Change[];
}
