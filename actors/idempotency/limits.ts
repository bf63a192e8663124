/** Bounds of the answers that a player's state keeps for repeated requests. */
export const IDEMPOTENCY_LIMITS = {
  /** Idempotency keys remembered per player and kind of API key, and per API key for writes without a single player. */
  idempotencyKeys: 64,
  /**
   * Encoded bytes of the responses remembered with them, per player or per API key; for a player, half belong to client
   * keys. The response of an init may contain all attributes and hundreds of flags.
   */
  idempotencyBytes: 1_000_000,
  /** How long an `Idempotency-Key` is remembered. */
  idempotencyTtlMs: 24 * 60 * 60 * 1000,
} as const;
