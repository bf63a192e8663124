import { decodeReply, encodeReply } from '../../core/codec/stored-reply.ts';
import { failure } from '../../core/kernel/errors.ts';
import { IDEMPOTENCY_LIMITS } from './limits.ts';
import type { IdempotencyClaim } from '../../core/vocabulary/commands/idempotency-claim.ts';
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
  const changedNothing =
    reply.kind === 'tracked' &&
    reply.results.every((result) => result.status === 'rejected' || result.status === 'moved');
  if (reply.kind === 'failure' || changedNothing) return reply;
  const { game, environment, at, by } = context;
  const { key, bodyHash } = claim;
  const used = { key, bodyHash, reply: encodeReply(reply), ...(by === undefined ? {} : { by }) };
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
  for (const { key, by, at, bodyHash, reply: encoded } of state.keys) {
    if (key !== claim.key || !mayBeSame(by, context.by) || at + TTL_MS <= context.at) continue;
    const reply = decodeReply(encoded);
    if (slot !== 'any' && reply.kind !== slot) continue;
    return bodyHash === claim.bodyHash ? replayed(reply) : failure('CONFLICT');
  }
  return undefined;
}

const TTL_MS = IDEMPOTENCY_LIMITS.idempotencyTtlMs;

function replayed(reply: Reply): Reply {
  switch (reply.kind) {
    case 'failure':
    case 'moved':
    case 'merging':
    case 'absorbed':
    case 'flags':
    case 'lifecycle':
    case 'churnRisk':
    case 'exported':
    case 'noted':
    case 'imported':
    case 'listed':
    case 'previewed':
      return reply;
    case 'player':
    case 'tracked':
    case 'claimed':
    case 'overridden':
    case 'sessionOpened':
    case 'sessionSynced':
    case 'sessionEnded':
    case 'sessionRecorded':
    case 'purchaseRecorded':
    case 'purchaseRefunded':
    case 'erased':
      return { ...reply, replayed: true };
  }
}
