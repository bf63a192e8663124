/** The way to receivers. A port, so that the simulation can be every receiver there is. */
export interface DeliverySender {
  /** Makes one attempt. Never rejects. */
  send(attempt: OutgoingAttempt): Promise<AttemptOutcome>;
  /** Cuts off what is in flight (`aborted`) and lets go of every connection. */
  close(): void;
}

export interface OutgoingAttempt {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
  /** Bounds the whole exchange: look-up, connection, request and response. */
  timeoutMs: number;
}

/**
 * `answered`: the receiver's status, the first bytes of its body and its Retry-After header as sent; every status counts, redirects
 * are not followed.
 * `refused`: not sent, as the address is not one we deliver to. `aborted`: cut off by `close`, so nothing is known.
 */
export type AttemptOutcome =
  | { kind: 'answered'; status: number; responseStart: string; retryAfter?: string }
  | { kind: 'timed_out' }
  | { kind: 'connection_failed'; reason: string }
  | { kind: 'refused'; reason: string }
  | { kind: 'aborted' };

/** Whether the receiver took it: any 2xx. */
export function isDelivered(outcome: AttemptOutcome): boolean {
  return outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300;
}
