import { PLAYER_LIMITS } from './decision/limits.ts';
import type { EvolveLimits } from './decision/decision.ts';
import { FACTS, type FactsByKind } from './kinds.ts';
import type { DomainFact } from '../core/vocabulary/facts/facts.ts';
import type { EntityState } from '../core/vocabulary/state/state.ts';

/**
 * Returns the state after `fact`. Pure; never changes its input. It applies no business rules, so later rule changes do
 * not alter past decisions. The runtime sets `lastSeq`, because only it has the record's sequence.
 */
export function evolve(
  state: EntityState | undefined,
  fact: DomainFact,
  limits: EvolveLimits = PLAYER_LIMITS,
): EntityState {
  return evolveKind(fact.kind, state, fact, limits);
}

function evolveKind<K extends keyof FactsByKind>(
  kind: K,
  state: EntityState | undefined,
  fact: FactsByKind[K],
  limits: EvolveLimits,
): EntityState {
  return FACTS[kind].evolve(state, fact, limits);
}
