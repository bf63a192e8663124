import type { ConfigEntry } from './config/config-store.ts';
import type { FactPlace } from './records/fact-place.ts';

/**
 * The port between the API and the webhooks sink: what an operator may ask of a webhook's deliveries beside its definition. None of it
 * throws for what may happen; `unavailable` is the broker that does not answer.
 */
export interface WebhookOperations {
  /** Makes one attempt now with a sample payload, outside the queue: nothing follows from its failure, and it is not logged. */
  test(webhook: WebhookEntry): Promise<TestedDelivery>;
  /**
   * Queues the delivery of one fact again, under the same delivery id, with new attempts from 1. The webhook's present kinds and
   * filters are not asked: it was wanted once.
   * @param place where the fact stands, as the row of an earlier attempt says
   * @param requestId of the request that asks for it: repeats of it within the stream's duplicate window queue nothing more
   */
  redeliver(webhook: WebhookEntry, place: FactPlace, requestId: string): Promise<Redelivery>;
  /**
   * Begins to queue again, in the background, whatever the webhook wants of what happened since a time (epoch milliseconds), under
   * the ids it had or would have had. One at a time per webhook: while one runs, that one is answered.
   */
  recover(webhook: WebhookEntry, sinceMs: number): Promise<RecoveryRequest>;
  /** The latest recovery of a webhook, running or ended; `undefined`: none is known. */
  recovery(webhook: WebhookEntry): Promise<Recovery | undefined | 'unavailable'>;
}

type WebhookEntry = ConfigEntry<'webhook'>;

export interface TestedDelivery {
  deliveryId: string;
  /** Kind of the sample. */
  type: string;
  /** Whether the receiver took it: any 2xx. */
  delivered: boolean;
  /** HTTP status; `null`: there was no answer. */
  status: number | null;
  durationMs: number;
  /** Why there was no answer; `null`: there was one. */
  error: string | null;
  /** First characters of the answer's body: the receiver's text, to be escaped wherever it is shown. */
  responseStart: string;
}

/** `gone`: FACTS does not hold the fact any more. `erased`: its player was erased, so nobody may be told. */
export type Redelivery =
  | { kind: 'queued'; deliveryId: string }
  | { kind: 'gone' }
  | { kind: 'erased' }
  | { kind: 'unavailable' };

export type RecoveryRequest =
  | { kind: 'begun'; recovery: Recovery }
  | { kind: 'running'; recovery: Recovery }
  | { kind: 'unavailable' };

/** How far a recovery is. */
export interface Recovery {
  id: string;
  /** Epoch milliseconds. */
  since: number;
  startedAt: number;
  /** `stopped`: the webhook was deleted or disabled, or FACTS lost its place. */
  state: 'running' | 'done' | 'stopped';
  /** Records of FACTS looked at, of about how many. */
  scanned: number;
  total: number;
  /** Deliveries queued. */
  queued: number;
  /** Epoch milliseconds; `null` while it runs. */
  finishedAt: number | null;
}
