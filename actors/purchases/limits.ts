/** Bounds of purchases in the state of a player. */
export const PURCHASE_LIMITS = {
  /** Purchases by client keys whose details are kept for corrections, per player: 300 bytes each, 300 kB at most. */
  correctablePurchases: 1_000,
} as const;
