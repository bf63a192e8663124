/** A write to a definition under an Idempotency-Key. Its presence proves that the write took effect. */
export interface WriteMark {
  /** Digest of API key and Idempotency-Key. */
  id: string;
  bodyHash: string;
  /** Epoch milliseconds. */
  at: number;
}
