import type { IdempotencyClaim } from './idempotency-claim.ts';
import type { ReceiptReason, ReceiptStore } from '../state/receipt.ts';

/* Commands by which callers record what happened elsewhere. Amounts are in ten-thousandths. */

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

/** Record a purchase. `amount` is in ten-thousandths, as the caller sent it. */
export interface RecordPurchase {
  kind: 'RecordPurchase';
  playerId: string;
  amount: number;
  /** ISO 4217, as the caller sent it. */
  currency: string | null;
  /** What makes `amount` one of the game's currency. Absent: it is one. */
  exchange?: Exchange;
  productId: string | null;
  transactionId: string | null;
  /** The store of its receipt, which is verified afterwards. Absent: it has none. */
  store?: ReceiptStore;
  /** Present if only verified purchases count in the game. */
  countsVerified?: true;
  /** Of the event that records it. */
  eventId: string;
  idempotency?: IdempotencyClaim;
}

/** Record what the store said of the receipt of a purchase. */
export interface DecideReceipt {
  kind: 'DecideReceipt';
  playerId: string;
  transactionId: string;
  store: ReceiptStore;
  verdict: ReceiptVerdict;
  /** Of the event that records it; another one follows from it. */
  eventId: string;
}

export type ReceiptVerdict =
  /** The product of the receipt; `null`: the store names none. */
  { kind: 'verified'; productId: string | null } | { kind: 'rejected'; reason: ReceiptReason };

/** The rate from the currency of a purchase to the game's; `null`: none is known for that day (`2026-01-15`). */
export type Exchange = { rate: number } | { rate: null; day: string };

/**
 * Refund a purchase. `amount` is in ten-thousandths of the currency in which that of the purchase was sent; `null`:
 * what remains of the purchase.
 */
export interface RefundPurchase {
  kind: 'RefundPurchase';
  playerId: string;
  transactionId: string;
  amount: number | null;
  /** The part of what was paid, more than 0 and less than 1, where a store says no amount. */
  share?: number;
  /** The caller's id of the refund. */
  refundId: string | null;
  /** Of the event that records it. */
  eventId: string;
  idempotency?: IdempotencyClaim;
}
