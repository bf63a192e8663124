/** An Idempotency-Key as a command carries it. `bodyHash` covers method, path and body. */
export interface IdempotencyClaim {
  key: string;
  bodyHash: string;
}
