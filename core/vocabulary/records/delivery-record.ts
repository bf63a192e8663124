import type { Environment } from '../documents/scope.ts';
import type { FactPlace } from './fact-place.ts';

/**
 * The outcome of one attempt to deliver to a webhook, or of a delivery that was not attempted. It goes to RECORDS and
 * from there to ClickHouse, without delaying deliveries: an attempt is missing if RECORDS refused it, and appears twice
 * under one number if a crash repeated it.
 */
export interface DeliveryRecord {
  /** The same for every attempt. */
  deliveryId: string;
  webhook: string;
  game: string;
  environment: Environment;
  /** Kind, as in the payload's `type`. */
  type: string;
  /** Id of the player that the fact is about. */
  player: string;
  /** The fact's place in FACTS, from which the delivery can be rebuilt. */
  place: FactPlace;
  /** From 1; 0: no attempt was made. */
  attempt: number;
  /** Epoch milliseconds. */
  attemptedAt: number;
  durationMs: number;
  outcome: DeliveryOutcome;
  /** HTTP status; `null`: no response. */
  status: number | null;
  /** Why there was no response or no attempt; empty: there was a response. */
  error: string;
  /** First characters of the response's body. */
  responseStart: string;
  /** Host of the URL at the time of the attempt. */
  urlHost: string;
  /** When the next attempt is due, epoch milliseconds; `null`: there is none. */
  nextAttemptAt: number | null;
}

/**
 * `delivered`: any 2xx. `failed`: another attempt follows. `exhausted`: no attempt follows. `dropped`: the webhook was
 * disabled or deleted when it was due. `overflowed`: not queued, because too many waited for this webhook; a recovery
 * queues it.
 */
export type DeliveryOutcome = 'delivered' | 'failed' | 'exhausted' | 'dropped' | 'overflowed';
