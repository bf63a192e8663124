import { FACTS, type FactsByKind } from './kinds.ts';
import type { DomainFact } from './vocabulary/facts.ts';
import type { EntityState } from './vocabulary/state.ts';

/**
 * Returns the state after `fact`. Pure; never changes its input. No business rules: what was decided stays decided when
 * rules change later. The runtime keeps `lastSeq`, because it knows the record's sequence.
 */
export function evolve(state: EntityState | undefined, fact: DomainFact): EntityState {
  return evolveKind(fact.kind, state, fact);
}

function evolveKind<K extends keyof FactsByKind>(
  kind: K,
  state: EntityState | undefined,
  fact: FactsByKind[K],
): EntityState {
  return FACTS[kind].evolve(state, fact);
}
