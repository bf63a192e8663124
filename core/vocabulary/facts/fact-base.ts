import type { Scope } from '../documents/scope.ts';

/** What every fact about an entity carries. `at` is the receive time of its command, epoch milliseconds. */
export interface FactBase extends Scope {
  /** The player's UUID, or a ledger's id. */
  entityId: string;
  at: number;
}
