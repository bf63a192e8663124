import type { CallerKind } from './scope.ts';
import type { FactBase } from './fact-base.ts';

/** A purchase was recorded. `amount` is in ten-thousandths of the game's currency. */
export interface PurchaseRecorded extends FactBase {
  kind: 'PurchaseRecorded';
  amount: number;
  /** ISO 4217, as the caller sent it. */
  currency: string | null;
  productId: string | null;
  transactionId: string | null;
  /** Of the transaction id; see `RecordedPurchase`. `null` without one. */
  digest: string | null;
  externalId: string;
  /** Absent in records from before callers had kinds. */
  by?: CallerKind;
}

/**
 * A purchase that a client key recorded does not count any more, as a server key recorded the same transaction: the
 * `PurchaseRecorded` of that follows in the same record. All values are those of the purchase that is taken back.
 */
export interface PurchaseReversed extends FactBase {
  kind: 'PurchaseReversed';
  amount: number;
  currency: string | null;
  productId: string | null;
  transactionId: string;
  digest: string;
  /** When it was recorded, epoch milliseconds. */
  recordedAt: number;
  externalId: string;
}
