import { ledgerOf } from '../decision/evolve-player.ts';
import { IDEMPOTENCY_LIMITS } from './limits.ts';
import type { IdempotencyKeyUsed } from '../../core/vocabulary/facts/facts.ts';
import type { EntityState, RememberedKey } from '../../core/vocabulary/state/state.ts';
import { bounded, LEDGER_BOUND, PLAYER_BOUND } from './bounded-keys.ts';

/** The first batch with an Idempotency-Key creates the ledger of its API key. */
export function keyUsed(state: EntityState | undefined, fact: IdempotencyKeyUsed): EntityState {
  const holder = state ?? ledgerOf(state, fact);
  const { key, bodyHash, at, reply, by } = fact;
  const fresh = holder.keys.filter((entry) => entry.at + IDEMPOTENCY_LIMITS.idempotencyTtlMs > at);
  const entry: RememberedKey = by === undefined ? { key, bodyHash, at, reply } : { key, bodyHash, at, reply, by };
  return { ...holder, keys: bounded([...fresh, entry], holder.kind === 'ledger' ? LEDGER_BOUND : PLAYER_BOUND) };
}
