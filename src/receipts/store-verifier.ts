import type { AppleSettings, GoogleSettings } from '../../core/vocabulary/stores.ts';
import type { Environment } from '../../core/vocabulary/documents/scope.ts';
import type { ReceiptReason } from '../../core/vocabulary/state/receipt.ts';

/**
 * The port to the stores: what a receipt or a notification proves. A store decides by signature, app and environment
 * (`live` is its production, `test` its sandbox); who may have a transaction is decided elsewhere.
 *
 * Every answer is a value. `unavailable`: the store did not answer, or it refused our access; ask again later. `why` is
 * for the log: it has no receipt, token or key.
 */
export interface StoreVerifier {
  appleReceipt(app: AppleSettings, environment: Environment, payload: string): Promise<Proof>;
  googleReceipt(app: GoogleSettings, environment: Environment, payload: string): Promise<Proof>;
  appleNotice(app: AppleSettings, environment: Environment, payload: string): Promise<Notice>;
  /** Whether Google Pub/Sub sent a message for this app. @param token the bearer token of its request */
  googleSender(app: GoogleSettings, token: string): Promise<Sender>;
}

export type Proof =
  | { kind: 'proven'; transactionId: string; productId: string | null; purchasedAtMs: number }
  | { kind: 'rejected'; reason: ReceiptReason }
  | { kind: 'unavailable'; why: string };

export type Notice =
  /** The store paid back. `share`: of what was paid, more than 0 and at most 1. */
  | { kind: 'refunded'; transactionId: string; share: number; atMs: number; purchasedAtMs: number }
  | { kind: 'other'; type: string }
  | { kind: 'rejected'; reason: ReceiptReason }
  | { kind: 'unavailable'; why: string };

export type Sender = { kind: 'known' } | { kind: 'unknown' } | { kind: 'unavailable'; why: string };
