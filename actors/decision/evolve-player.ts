import type { EvolveLimits } from './decision.ts';
import type { DomainFact } from '../../core/vocabulary/facts/facts.ts';
import type { EntityState, LedgerState, PlayerState } from '../../core/vocabulary/state/state.ts';

/** A fact that does not fit the state. Always a bug, never the caller's fault. */
export class FactOrderError extends Error {}

/** Turns a function of a domain that changes a player into an entry of the table of kinds, which accepts any state. */
export function evolvesPlayer<F extends DomainFact>(
  evolve: (player: PlayerState, fact: F, limits: EvolveLimits) => EntityState,
) {
  return (state: EntityState | undefined, fact: F, limits: EvolveLimits): EntityState => {
    if (state?.kind === 'player') return evolve(state, fact, limits);
    throw new FactOrderError(`${fact.kind} for ${fact.entityId}, which is not a player`);
  };
}

/** The ledger that a fact changes. Its first fact creates it. */
export function ledgerOf(state: EntityState | undefined, fact: DomainFact): LedgerState {
  const { kind, entityId: id, game, environment } = fact;
  if (state === undefined) return { kind: 'ledger', id, game, environment, keys: [], lastSeq: 0 };
  if (state.kind === 'ledger') return state;
  throw new FactOrderError(`${kind} for ${id}, which is not a ledger`);
}
