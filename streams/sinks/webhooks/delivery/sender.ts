/** Sends attempts to receivers. A port: production uses HTTP, tests play the receivers themselves. */
export interface DeliverySender {
  /** Makes one attempt. Never rejects. */
  send(attempt: OutgoingAttempt): Promise<AttemptOutcome>;
  /** Aborts the attempts in flight (`aborted`) and closes all connections. */
  close(): void;
}

export interface OutgoingAttempt {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
  /** Time-out of the whole exchange: look-up, connection, request and response. */
  timeoutMs: number;
}

/**
 * `answered`: any status, with the first bytes of the body and the `Retry-After` header; redirects are not followed.
 * `refused`: not sent, because the address is not allowed. `aborted`: by `close`; the result is unknown.
 */
export type AttemptOutcome =
  | { kind: 'answered'; status: number; responseStart: string; retryAfter?: string }
  | { kind: 'timed_out' }
  | { kind: 'connection_failed'; reason: string }
  | { kind: 'refused'; reason: string }
  | { kind: 'aborted' };

/** Whether the receiver accepted the delivery: any 2xx. */
export function isDelivered(outcome: AttemptOutcome): boolean {
  return outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300;
}
