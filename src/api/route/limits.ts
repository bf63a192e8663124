/** Bounds of the handling of a route. */
export const ROUTE_LIMITS = {
  /** How long one request checks events before it yields to others. The check of one more event may exceed it. */
  validationTurnMs: 5,

  /**
   * Seconds that `Keep-Alive` promises for an idle connection. uWebSockets.js closes it 8 to 12 s after the last
   * response (10 s in steps of 4; not configurable). The difference covers the transit time of the next request.
   */
  keepAliveSeconds: 5,
  /** Characters of a player token. An `external_id` of 256 characters in any script fits. */
  playerTokenLength: 2_048,

  /** Characters of an `Idempotency-Key`: a UUID with a prefix fits, a document does not. */
  idempotencyKeyLength: 255,

  /**
   * Response text of an evaluation that is cached with it, in characters. Copying a longer text costs more than writing
   * it.
   */
  rememberedEvaluationChars: 1_000,
} as const;
