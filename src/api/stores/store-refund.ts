import { digestOf } from '../../../core/kernel/secrets/digest.ts';
import { failure, type Failure } from '../../../core/kernel/errors.ts';
import type { ReceiptStore } from '../../../core/vocabulary/state/receipt.ts';
import { RECEIPT_LIMITS } from '../../receipts/limits.ts';
import type { RequestContext } from '../route/request-context.ts';

/** What became of a notification. */
export type Handled = 'refunded' | 'ignored' | 'unknown';

export interface StoreRefund {
  store: ReceiptStore;
  transactionId: string;
  /** What the store paid back of what was paid, more than 0 and at most 1. */
  share: number;
  /** The same for every notification of this refund. */
  refundId: string;
  /** When the purchase was made, epoch milliseconds; 0: not known. */
  purchasedAtMs: number;
}

/**
 * Refunds a purchase of the player who has its transaction, once. A purchase that does not count yet never will.
 * @returns a failure: the store has to send the notification again
 */
export async function refundByStore(refund: StoreRefund, { key, services, origin }: RequestContext) {
  const { game, environment } = key;
  const { store, transactionId, share, refundId } = refund;
  const holder = await services.receipts.claims.holderOf({ game, environment, store, digest: digestOf(transactionId) });
  if (holder === undefined) return isYoung(refund, origin.receivedAt) ? NOT_KNOWN_YET : ('unknown' satisfies Handled);
  if (holder.kind === 'unavailable') return failure('SERVICE_UNAVAILABLE');
  if (holder.by === null) return 'unknown' satisfies Handled;
  const playerId = holder.by;
  const eventId = services.ids.uuidv7(origin.receivedAt);
  const by = { ...origin, by: 'server' } as const;
  const reply = await services.backend.send(by, playerId, {
    kind: 'RefundPurchase',
    playerId,
    transactionId,
    amount: null,
    ...(share < 1 ? { share } : {}),
    refundId,
    eventId,
  });
  if (reply.kind !== 'failure') return 'refunded' satisfies Handled;
  if (reply.code !== 'CONFLICT') return endOf(reply);
  // It is refunded already, or it does not count.
  const verdict = { kind: 'rejected', reason: 'refunded' } as const;
  const decided = await services.backend.send(by, playerId, {
    kind: 'DecideReceipt',
    playerId,
    transactionId,
    store,
    verdict,
    eventId,
  });
  return decided.kind === 'failure' ? endOf(decided) : ('refunded' satisfies Handled);
}

/** A player or purchase that is gone never comes back. */
const endOf = (reply: Failure): Handled | Failure =>
  reply.code === 'PLAYER_NOT_FOUND' || reply.code === 'NOT_FOUND' ? 'unknown' : reply;

const isYoung = ({ purchasedAtMs }: StoreRefund, nowMs: number): boolean =>
  purchasedAtMs > 0 && nowMs - purchasedAtMs < RECEIPT_LIMITS.noticeWaitsMs;

const NOT_KNOWN_YET = failure(
  'SERVICE_UNAVAILABLE',
  'No player has this transaction yet. Send the notification again: its receipt may be verified meanwhile.',
);
