import { decodeReply, encodeReply } from '../../../core/codec/stored-reply.ts';
import type { IdempotencyClaim } from '../../../core/vocabulary/commands/idempotency-claim.ts';
import type { EventSender } from '../../../core/vocabulary/facts/event-tracked.ts';
import type { DomainFact } from '../../../core/vocabulary/facts/facts.ts';
import type { Reply } from '../../../core/vocabulary/commands/replies.ts';
import type { CallerKind, Scope } from '../../../core/vocabulary/documents/scope.ts';
import type { EntityState } from '../../../core/vocabulary/state/state.ts';

/* Idempotency keys in the model. */

const DAY_MS = 24 * 60 * 60 * 1000;

/** The reply that an `Idempotency-Key` gets again. Undefined if the key is unused. */
export function recall(
  holder: EntityState | undefined,
  claim: IdempotencyClaim,
  at: number,
  slot: Reply['kind'] | undefined,
  by: CallerKind | undefined,
): Reply | undefined {
  const known = holder?.keys
    .filter((entry) => entry.key === claim.key && isOneCaller(entry.by, by) && at - entry.at < DAY_MS)
    .map(({ bodyHash, reply }) => ({ bodyHash, reply: decodeReply(reply) }))
    .find(({ reply }) => slot === undefined || reply.kind === slot);
  if (known === undefined) return undefined;
  if (known.bodyHash !== claim.bodyHash) return { kind: 'failure', code: 'CONFLICT' };
  const { reply } = known;
  if (reply.kind === 'lifecycle' || reply.kind === 'churnRisk') return reply;
  if (reply.kind === 'failure' || reply.kind === 'flags' || reply.kind === 'exported') return reply;
  if (reply.kind === 'noted' || reply.kind === 'imported' || reply.kind === 'listed') return reply;
  if (reply.kind === 'previewed' || reply.kind === 'moved') return reply;
  if (reply.kind === 'merging' || reply.kind === 'absorbed') return reply;
  return { ...reply, replayed: true };
}

/** Client and server API keys do not share ids and Idempotency-Keys; old records, which have no kind, match both. */
export function isOneCaller(one: EventSender | undefined, other: EventSender | undefined): boolean {
  return one === undefined || other === undefined || one === other;
}

/** Stores the reply under its `Idempotency-Key`. */
export function remember(
  run: { facts: DomainFact[]; reply: Reply; next: Map<string, EntityState> },
  holder: EntityState | undefined,
  entityId: string,
  claim: IdempotencyClaim & { by?: CallerKind },
  scope: Scope,
  at: number,
): void {
  const reply = encodeReply(run.reply);
  run.facts.push({ kind: 'IdempotencyKeyUsed', entityId, ...scope, at, ...claim, reply });
  const before = holder ?? { kind: 'ledger', id: entityId, ...scope, keys: [], lastSeq: 0 };
  const keys = [...before.keys.filter((entry) => at - entry.at < DAY_MS), { ...claim, at, reply }];
  run.next.set(entityId, { ...before, keys });
}
