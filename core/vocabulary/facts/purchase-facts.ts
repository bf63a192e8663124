import type { CallerKind } from '../documents/scope.ts';
import type { Paid, PaidBack } from '../state/player.ts';
import type { FactBase } from './fact-base.ts';

/** A purchase was recorded. `amount` is in ten-thousandths of the game's currency. */
export interface PurchaseRecorded extends FactBase {
  kind: 'PurchaseRecorded';
  amount: number;
  /** Present if `amount` was converted. */
  paid?: Paid;
  /** ISO 4217, as the caller sent it. */
  currency: string | null;
  productId: string | null;
  transactionId: string | null;
  /** Digest of the transaction id; see `RecordedPurchase`. `null` without one. */
  digest: string | null;
  externalId: string;
  /** Absent in records older than kinds of callers. */
  by?: CallerKind;
  /** When a client key reported this transaction, epoch milliseconds: it counts then. Absent: this report is first. */
  firstReportedAt?: number;
}

/**
 * A purchase by a client key no longer counts, because a server key recorded the same transaction. The server's
 * `PurchaseRecorded` follows in the same record and counts at the same time. All values are those of the reversed
 * purchase.
 */
export interface PurchaseReversed extends FactBase {
  kind: 'PurchaseReversed';
  amount: number;
  paid?: Paid;
  currency: string | null;
  productId: string | null;
  transactionId: string;
  digest: string;
  /** When it was recorded, epoch milliseconds. */
  recordedAt: number;
  externalId: string;
}

/** Of a purchase, `amount` was paid back. Currency and product are those of the purchase, `null` if not remembered. */
export interface PurchaseRefunded extends FactBase {
  kind: 'PurchaseRefunded';
  amount: number;
  /** Present if the purchase was converted. */
  paid?: PaidBack;
  /** What remains of the purchase; 0: it no longer counts. */
  remaining: number;
  currency: string | null;
  productId: string | null;
  transactionId: string;
  digest: string;
  /** The caller's id of the refund, and its digest. `null` without one. */
  refundId: string | null;
  refundDigest: string | null;
  externalId: string;
}
