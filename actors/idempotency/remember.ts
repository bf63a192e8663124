import { failure } from '../../core/kernel/errors.ts';
import { IDEMPOTENCY_LIMITS } from './limits.ts';
import type { IdempotencyClaim } from '../../core/vocabulary/commands/commands.ts';
import type { Context, Draft } from '../decision/decision.ts';
import type { Reply } from '../../core/vocabulary/commands/replies.ts';
import type { EntityState } from '../../core/vocabulary/state/state.ts';
import { mayBeSame } from '../../core/vocabulary/documents/scope.ts';

/**
 * Executes a command once per Idempotency-Key. A repeat gets the stored reply, marked `replayed`; the same key with
 * another body is a conflict. Failures are not stored, because they change nothing and may succeed later. Keys used by
 * client and by server API keys are separate.
 * @param holderId the player or ledger that stores the reply
 */
export function once(
  draft: Draft,
  holderId: string,
  claim: IdempotencyClaim | undefined,
  context: Context,
  run: () => Reply,
  slot: Reply['kind'] | 'any' = 'any',
): Reply {
  if (claim === undefined) return run();
  const earlier = recall(draft.get(holderId), claim, context, slot);
  if (earlier !== undefined) return earlier;
  const reply = run();
  const changedNothing = reply.kind === 'tracked' && reply.results.every((result) => result.status === 'rejected');
  if (reply.kind === 'failure' || changedNothing) return reply;
  const { game, environment, at, by } = context;
  const { key, bodyHash } = claim;
  const used = { key, bodyHash, reply, ...(by === undefined ? {} : { by }) };
  draft.emit({ kind: 'IdempotencyKeyUsed', entityId: holderId, game, environment, at, ...used });
  return reply;
}

function recall(
  state: EntityState | undefined,
  claim: IdempotencyClaim,
  context: Context,
  slot: Reply['kind'] | 'any',
): Reply | undefined {
  if (state === undefined || state.game !== context.game || state.environment !== context.environment) return undefined;
  const entry = state.keys.find(
    (stored) =>
      stored.key === claim.key &&
      mayBeSame(stored.by, context.by) &&
      (slot === 'any' || stored.reply.kind === slot) &&
      stored.at + IDEMPOTENCY_LIMITS.idempotencyTtlMs > context.at,
  );
  if (entry === undefined) return undefined;
  if (entry.bodyHash !== claim.bodyHash) return failure('CONFLICT');
  switch (entry.reply.kind) {
    case 'failure':
    case 'flags':
    case 'lifecycle':
    case 'churnRisk':
    case 'exported':
    case 'noted':
    case 'imported':
    case 'listed':
    case 'previewed':
      return entry.reply;
    case 'player':
    case 'tracked':
    case 'claimed':
    case 'overridden':
    case 'sessionOpened':
    case 'sessionSynced':
    case 'sessionEnded':
    case 'sessionRecorded':
    case 'purchaseRecorded':
    case 'erased':
      return { ...entry.reply, replayed: true };
  }
}
