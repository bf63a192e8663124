import type { IdempotencyClaim } from './idempotency-claim.ts';

/* Commands by which callers record what happened elsewhere. Amounts are in ten-thousandths of the game's currency. */

/** Record a finished session. Times are epoch milliseconds, as the caller sent them. */
export interface RecordSession {
  kind: 'RecordSession';
  playerId: string;
  /** The caller's id, or the id from an init. */
  sessionId: string;
  startedAt: number | null;
  endedAt: number | null;
  durationSeconds: number;
  /** Of the event that records it. */
  eventId: string;
  idempotency?: IdempotencyClaim;
}

/** Record a purchase. `amount` is in ten-thousandths of the game's currency. */
export interface RecordPurchase {
  kind: 'RecordPurchase';
  playerId: string;
  amount: number;
  /** ISO 4217, as the caller sent it. */
  currency: string | null;
  productId: string | null;
  transactionId: string | null;
  /** Of the event that records it. */
  eventId: string;
  idempotency?: IdempotencyClaim;
}

/** Refund a purchase. `amount` is in ten-thousandths of the game's currency; `null`: what remains of the purchase. */
export interface RefundPurchase {
  kind: 'RefundPurchase';
  playerId: string;
  transactionId: string;
  amount: number | null;
  /** The caller's id of the refund. */
  refundId: string | null;
  /** Of the event that records it. */
  eventId: string;
  idempotency?: IdempotencyClaim;
}
