import type { Reply } from '../../../core/vocabulary/commands/replies.ts';
import { failure } from '../../../core/kernel/errors.ts';
import { accept, type Call } from './http-gateway.ts';

/** The replies of owners that accept every command and remember Idempotency-Keys, as a ledger does. */
export function createFakeLedger(): (call: Call) => Reply {
  const claims = new Map<string, string>();
  return (call) => {
    if (call.body.kind !== 'ClaimIdempotencyKey') return accept(call);
    const { ledgerId, idempotency } = call.body;
    const slot = `${ledgerId} ${idempotency.key}`;
    const earlier = claims.get(slot);
    if (earlier === undefined) {
      claims.set(slot, idempotency.bodyHash);
      return { kind: 'claimed' };
    }
    return earlier === idempotency.bodyHash ? { kind: 'claimed', replayed: true } : failure('CONFLICT');
  };
}
