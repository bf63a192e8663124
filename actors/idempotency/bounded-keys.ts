import { IDEMPOTENCY_LIMITS } from './limits.ts';
import type { RememberedKey } from '../../core/vocabulary/state/state.ts';

/** The bounds on stored keys of one kind of caller. */
export interface KeyBound {
  keys: number;
  /** Of all replies. */
  bytes: number;
}

/** Each kind gets half of a player's total, because a whole player must fit one record. */
export const PLAYER_BOUND: KeyBound = {
  keys: IDEMPOTENCY_LIMITS.idempotencyKeys,
  bytes: IDEMPOTENCY_LIMITS.idempotencyBytes / 2,
};
/**
 * A ledger belongs to one API key and so to one kind. A batch adds two entries: the claim and this partition's reply.
 */
export const LEDGER_BOUND: KeyBound = {
  keys: 2 * IDEMPOTENCY_LIMITS.idempotencyKeys,
  bytes: IDEMPOTENCY_LIMITS.idempotencyBytes,
};

/**
 * Keeps the newest keys of each kind of caller within its bound, and always the newest key. Client keys have their own
 * bound, so that they never evict keys of servers.
 */
export function bounded(keys: readonly RememberedKey[], bound: KeyBound): readonly RememberedKey[] {
  const others = newest(keys, bound, false);
  const clients = newest(keys, bound, true);
  if (others.size + clients.size === keys.length) return keys;
  return keys.filter((entry) => others.has(entry) || clients.has(entry));
}

function newest(keys: readonly RememberedKey[], bound: KeyBound, ofClients: boolean): ReadonlySet<RememberedKey> {
  const kept = new Set<RememberedKey>();
  let bytes = 0;
  for (const entry of keys.toReversed()) {
    if ((entry.by === 'client') !== ofClients) continue;
    bytes += entry.reply.length;
    if (kept.size === bound.keys || (kept.size > 0 && bytes > bound.bytes)) break;
    kept.add(entry);
  }
  return kept;
}
