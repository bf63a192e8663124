import type { FaultKind } from '../chaos.ts';

/** A text in a file of the service, and what it becomes. The text must stand there exactly once. */
export interface Change {
  file: string;
  original: string;
  mutated: string;
}

/** A deliberate bug that the simulation must catch. */
export interface Mutant {
  name: string;
  /** The faults under which it does harm, for one that takes a rare coincidence. */
  faults?: readonly FaultKind[];
  changes: readonly Change[];
}
