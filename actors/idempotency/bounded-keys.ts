import { LIMITS } from '../../src/kernel/limits.ts';
import { replyChars } from '../vocabulary/reply-chars.ts';
import type { RememberedKey } from '../vocabulary/state.ts';

/** What one kind of caller may have remembered. */
export interface KeyBound {
  keys: number;
  /** Of the answers. */
  chars: number;
}

/** Each kind has half of what a player holds, as all of a player must fit one record. */
export const PLAYER_BOUND: KeyBound = { keys: LIMITS.idempotencyKeys, chars: LIMITS.idempotencyChars / 2 };
/** A ledger is one API key's, and so of one kind. A batch leaves two entries: the claim and the answer of this partition. */
export const LEDGER_BOUND: KeyBound = { keys: 2 * LIMITS.idempotencyKeys, chars: LIMITS.idempotencyChars };

/**
 * The newest keys of each kind of caller within its bound, and the newest of all in any case. Client keys are bounded apart
 * from all others, so a client pushes out no key that a server relies on.
 */
export function bounded(keys: readonly RememberedKey[], bound: KeyBound): readonly RememberedKey[] {
  const others = newest(keys, bound, false);
  const clients = newest(keys, bound, true);
  if (others.size + clients.size === keys.length) return keys;
  return keys.filter((entry) => others.has(entry) || clients.has(entry));
}

function newest(keys: readonly RememberedKey[], bound: KeyBound, ofClients: boolean): ReadonlySet<RememberedKey> {
  const kept = new Set<RememberedKey>();
  let chars = 0;
  for (const entry of keys.toReversed()) {
    if ((entry.by === 'client') !== ofClients) continue;
    chars += replyChars(entry.reply);
    if (kept.size === bound.keys || (kept.size > 0 && chars > bound.chars)) break;
    kept.add(entry);
  }
  return kept;
}
