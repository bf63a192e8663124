import { testersLedgerOf } from '../../../../core/vocabulary/state/player.ts';
import type { Scope } from '../../../../core/vocabulary/documents/scope.ts';
import type { DomainFact } from '../../../../core/vocabulary/facts/facts.ts';
import type { EntityState, LedgerState } from '../../../../core/vocabulary/state/state.ts';
import { SIM_LIMITS } from '../../machines/sim-limits.ts';

type Emit = (fact: DomainFact, next: EntityState) => void;

/** What a change of the number of test players emits; `full`: it is refused; `undefined`: nothing changes. */
export function predictTesters(
  view: (entityId: string) => EntityState | undefined,
  scope: Scope,
  added: number,
  at: number,
): 'full' | ((emit: Emit) => void) | undefined {
  if (added === 0) return undefined;
  const id = testersLedgerOf(scope.game, scope.environment);
  const held = view(id);
  const ledger: LedgerState = held?.kind === 'ledger' ? held : { kind: 'ledger', id, ...scope, keys: [], lastSeq: 0 };
  const before = ledger.testPlayers ?? 0;
  if (added > 0 && before >= SIM_LIMITS.testPlayers) return 'full';
  const count = before + added;
  return (emit) =>
    emit({ kind: 'TestPlayersCounted', entityId: id, ...scope, at, count }, { ...ledger, testPlayers: count });
}
