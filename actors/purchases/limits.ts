/** Bounds of purchases in the state of a player. */
export const PURCHASE_LIMITS = {
  /**
   * Purchases whose details are kept for corrections and refunds, per player: 300 bytes each, 300 kB at most. A refund
   * of an older one has no currency and no product.
   */
  detailedPurchases: 1_000,
  /** Refunds whose repeats are recognised, per player: 60 bytes each, 60 kB at most. */
  recordedRefunds: 1_000,
} as const;
