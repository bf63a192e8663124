import type { Environment } from '../../actors/vocabulary/scope.ts';
import type { FactPlace } from './fact-place.ts';

/**
 * What became of one attempt to deliver to a webhook, or of a delivery that was not attempted. It goes to RECORDS and from there to
 * ClickHouse, beside the deliveries and never in their way: the log may lack an attempt that was made while RECORDS took nothing, and
 * holds two of one number when a crash repeated it.
 */
export interface DeliveryRecord {
  /** The same for every attempt. */
  deliveryId: string;
  webhook: string;
  game: string;
  environment: Environment;
  /** Kind, as in the payload's `type`. */
  type: string;
  /** Whom it tells of. */
  player: string;
  /** Where the fact it tells of stands in FACTS: from there it is made again. */
  place: FactPlace;
  /** Counted from 1; 0: none was made. */
  attempt: number;
  /** Epoch milliseconds. */
  attemptedAt: number;
  durationMs: number;
  outcome: DeliveryOutcome;
  /** HTTP status; `null`: there was no answer. */
  status: number | null;
  /** Why there was no answer, or no attempt; empty: there was one. */
  error: string;
  /** First characters of the answer's body. */
  responseStart: string;
  /** Of the URL as it was then. */
  urlHost: string;
  /** When the next attempt is due, epoch milliseconds; `null`: there is none. */
  nextAttemptAt: number | null;
}

/**
 * `delivered`: any 2xx. `failed`: there will be another attempt. `exhausted`: there will be none. `dropped`: due when the webhook was
 * disabled or deleted. `overflowed`: never queued, as too many waited for this webhook; a recovery queues it.
 */
export type DeliveryOutcome = 'delivered' | 'failed' | 'exhausted' | 'dropped' | 'overflowed';
