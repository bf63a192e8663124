/* Receipts of stores, and what a purchase is by them. */

/** The stores whose receipts are verified. */
export const RECEIPT_STORES = ['apple', 'google'] as const;
export type ReceiptStore = (typeof RECEIPT_STORES)[number];

/** Why a receipt is rejected. */
export const RECEIPT_REASONS = {
  malformed: 'It is no receipt of this store.',
  invalid_signature: 'The store did not sign it: the signature, the algorithm or the chain of certificates is wrong.',
  invalid_certificate: 'Its certificates are missing or broken, or were not valid when it was signed.',
  wrong_app: "It is of another app than the game's settings name.",
  wrong_environment: 'It is of the sandbox and was sent to the live environment, or the other way round.',
  wrong_transaction: 'It proves another transaction than `transaction_id` says.',
  used_by_another_player: 'Another player of the game has this transaction.',
  not_purchased: 'The store knows no such purchase, or it was cancelled.',
  refunded: 'The store has refunded it.',
  too_old: 'It was bought more than a year ago.',
  store_unavailable:
    'For three days the store did not answer, it refused the service account, or the cash was not paid.',
  not_configured: 'The settings of the store were deleted before it was verified.',
} as const;
export type ReceiptReason = keyof typeof RECEIPT_REASONS;

/** What the store said of the receipt of a purchase. */
export interface PurchaseReceipt {
  store: ReceiptStore;
  state: 'pending' | 'verified' | 'rejected';
  /** Present if it is rejected. */
  reason?: ReceiptReason;
}

/** `recorded`: without a receipt. `refunded`: it has a receipt, and nothing of it remains. */
export const PURCHASE_STATES = ['recorded', 'pending', 'verified', 'refunded', 'rejected'] as const;
export type PurchaseState = (typeof PURCHASE_STATES)[number];
