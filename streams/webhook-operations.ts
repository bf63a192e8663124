import type { ConfigEntry } from './config/config-store.ts';
import type { JsonText } from '../core/kernel/text/json.ts';
import type { FactPlace } from '../core/vocabulary/records/fact-place.ts';

/**
 * The port between the API and the webhooks sink: operations on a webhook's deliveries. Expected failures are values;
 * `unavailable` means that the broker does not answer.
 */
export interface WebhookOperations {
  /**
   * Makes one attempt now with a sample payload, outside the queue. A failure has no consequences and is not logged.
   */
  test(webhook: WebhookEntry, sample?: TestSample): Promise<TestedDelivery>;
  /**
   * Queues the delivery of one fact again, under the same delivery id, with attempts from 1. The webhook's current
   * kinds and filters are ignored.
   * @param place of the fact, from the row of an earlier attempt
   * @param requestId of the API request; its repeats within the stream's duplicate window queue nothing more
   */
  redeliver(webhook: WebhookEntry, place: FactPlace, requestId: string): Promise<Redelivery>;
  /** The payload of a delivery, read from the log as its first attempt sent it. Nothing is sent. */
  payload(webhook: WebhookEntry, place: FactPlace): Promise<DeliveredPayload>;
  /**
   * Begins to queue again, in the background, every delivery that the webhook subscribes to since a time (epoch
   * milliseconds), under the ids that the deliveries have or would have had. One recovery per webhook runs at a time:
   * while one runs, it is returned.
   */
  recover(webhook: WebhookEntry, sinceMs: number): Promise<RecoveryRequest>;
  /** The latest recovery of a webhook, running or ended; `undefined`: none is stored. */
  recovery(webhook: WebhookEntry): Promise<Recovery | undefined | 'unavailable'>;
}

type WebhookEntry = ConfigEntry<'webhook'>;

/** What a test delivery is about. Default: the webhook's first kind. */
export interface TestSample {
  kind?: string | undefined;
  /** Properties of its event, as JSON text. */
  properties?: JsonText | undefined;
}

export interface TestedDelivery {
  deliveryId: string;
  /** Whether the webhook's kinds include that of the sample. */
  subscribed: boolean;
  /** The paths of filters that do not hold for the sample. */
  unmetFilters: string[];
  /** Kind of the sample. */
  type: string;
  /** Whether the receiver returned any 2xx. */
  delivered: boolean;
  /** HTTP status; `null`: no response. */
  status: number | null;
  durationMs: number;
  /** Why there was no response; `null`: there was one. */
  error: string | null;
  /** First characters of the response's body. Untrusted text: escape it wherever it is shown. */
  responseStart: string;
}

/** `gone`: FACTS no longer holds the fact. `erased`: its player was erased, so it must not be delivered. */
export type Redelivery =
  | { kind: 'queued'; deliveryId: string }
  | { kind: 'gone' }
  | { kind: 'erased' }
  | { kind: 'unavailable' };

/** `body`: JSON text. The other kinds are those of a redelivery. */
export type DeliveredPayload =
  | { kind: 'found'; body: string }
  | { kind: 'gone' }
  | { kind: 'erased' }
  | { kind: 'unavailable' };

export type RecoveryRequest =
  | { kind: 'begun'; recovery: Recovery }
  | { kind: 'running'; recovery: Recovery }
  | { kind: 'unavailable' };

/** The progress of a recovery. */
export interface Recovery {
  id: string;
  /** Epoch milliseconds. */
  since: number;
  startedAt: number;
  /**
   * When the oldest record was stored that the recovery could read, epoch milliseconds: facts between `since` and it
   * are not delivered. `null`: the log reached back to `since`.
   */
  availableSince: number | null;
  /** `stopped`: the webhook was deleted or disabled, or FACTS was created anew. */
  state: 'running' | 'done' | 'stopped';
  /** Records of FACTS read, and their estimated total. */
  scanned: number;
  total: number;
  /** Deliveries queued. */
  queued: number;
  /** Epoch milliseconds; `null` while it runs. */
  finishedAt: number | null;
}
