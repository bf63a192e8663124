import type { EvolveLimits } from './decision.ts';
import type { DomainFact } from './vocabulary/facts.ts';
import type { EntityState, PlayerState } from './vocabulary/state.ts';

/** A fact that cannot follow the state it meets. This is a bug, never a caller's fault. */
export class FactOrderError extends Error {}

/** Makes a step that requires a player out of one that takes any state. */
export function evolvesPlayer<F extends DomainFact>(
  evolve: (player: PlayerState, fact: F, limits: EvolveLimits) => EntityState,
) {
  return (state: EntityState | undefined, fact: F, limits: EvolveLimits): EntityState => {
    if (state?.kind === 'player') return evolve(state, fact, limits);
    throw new FactOrderError(`${fact.kind} for ${fact.entityId}, which is not a player`);
  };
}
