import type { CallerKind } from '../documents/scope.ts';
import type { Paid, PaidBack } from '../state/player.ts';
import type { PurchaseReceipt, ReceiptReason, ReceiptStore } from '../state/receipt.ts';
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
  /** Absent without a receipt. */
  receipt?: PurchaseReceipt;
}

/** A purchase was reported that adds nothing to the totals before it is verified. The fields are as above. */
export interface PurchaseHeld extends Omit<PurchaseRecorded, 'kind'> {
  kind: 'PurchaseHeld';
}

/** What a later fact repeats of a purchase. */
interface EarlierPurchase extends FactBase {
  amount: number;
  /** Present if the purchase was converted. */
  paid?: Paid;
  currency: string | null;
  productId: string | null;
  transactionId: string;
  digest: string;
  /** When the purchase was first reported, epoch milliseconds: it counts then. */
  recordedAt: number;
  externalId: string;
}

/**
 * The receipt of a purchase was verified or rejected. `amount` is what the purchase adds to the totals, or what of it
 * remained and is taken off them; `currency` and the other fields are those of the purchase.
 */
export interface ReceiptDecided extends EarlierPurchase {
  kind: 'ReceiptDecided';
  store: ReceiptStore;
  verdict: 'verified' | 'rejected';
  /** `null`: it is verified. */
  reason: ReceiptReason | null;
  /** The product of the receipt; `null`: not known. */
  provenProductId: string | null;
  /** What it changes in the totals: 1: the purchase counts from now on. -1: it no longer counts. */
  counts: 1 | 0 | -1;
  /** Who reported the purchase. */
  by: CallerKind;
}

/**
 * A purchase by a client key no longer counts, because a server key recorded the same transaction. The server's
 * `PurchaseRecorded` follows in the same record and counts at the same time. All values are those of the reversed
 * purchase.
 */
export interface PurchaseReversed extends EarlierPurchase {
  kind: 'PurchaseReversed';
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
