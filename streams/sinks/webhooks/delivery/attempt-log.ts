import type { Clock } from '../../../../core/kernel/clock.ts';
import { DELIVERY_LIMITS } from './limits.ts';
import type { Logger } from '../../../../core/kernel/logger.ts';
import type { WebhookMetrics } from '../record/metrics.ts';
import { encodeDeliveryRecords } from '../../../../core/codec/codec.ts';
import { deliveryRecordsSubject } from '../../../subjects.ts';
import type { Erasures } from '../../../facts/erasures.ts';
import type { Log } from '../../../log/log.ts';
import type { DeliveryOutcome, DeliveryRecord } from '../../../../core/vocabulary/records/delivery-record.ts';
import { createRecordBatches } from '../../../records/record-batches.ts';
import type { Delivery } from '../record/delivery.ts';
import type { AttemptOutcome } from './sender.ts';

/** One attempt that was made. */
export interface MadeAttempt {
  url: string;
  /** Start of the attempt, epoch milliseconds. */
  atMs: number;
  durationMs: number;
  outcome: AttemptOutcome;
}

/**
 * Records the outcome of every attempt in RECORDS, from where it reaches the table `webhook_deliveries`.
 *
 * Invariants
 * 1. No delivery waits for this log: an outcome that RECORDS does not accept in time is only counted as unlogged.
 * 2. Nothing is recorded about an erased player.
 */
export interface AttemptLog {
  /** @param nextAttemptAt when the next attempt is due, epoch milliseconds */
  attempted(delivery: Delivery, made: MadeAttempt, outcome: DeliveryOutcome, nextAttemptAt?: number): void;
  /** A delivery was dropped, or never queued, without an attempt. */
  notAttempted(delivery: Delivery, outcome: 'dropped' | 'overflowed', why: string): void;
  /** Resolves once all outcomes are stored or given up. */
  close(): Promise<void>;
}

export interface AttemptLogOptions {
  log: Pick<Log, 'append'>;
  clock: Clock;
  logger: Logger;
  metrics: WebhookMetrics;
  /** Part of the subject. */
  node: string;
  /** Prefix of the message ids, unique per log and process incarnation; a counter follows it. */
  writer: string;
  erasures: Pick<Erasures, 'covers'>;
}

export function createAttemptLog(options: AttemptLogOptions): AttemptLog {
  const { log, clock, logger, metrics, erasures } = options;
  let messages = 0;
  const batches = createRecordBatches<DeliveryRecord>({
    log,
    clock,
    logger,
    subject: deliveryRecordsSubject(options.node),
    what: 'webhook delivery attempts',
    encode: encodeDeliveryRecords,
    messageId: () => `${options.writer}/${++messages}`,
    perMessage: DELIVERY_LIMITS.attemptsPerMessage,
    pending: DELIVERY_LIMITS.attemptsPending,
    lingerMs: DELIVERY_LIMITS.attemptLingerMs,
  });

  function append(record: DeliveryRecord): void {
    if (erasures.covers(record.player, record.place)) return;
    void batches.append([record]).then((outcome) => {
      if (outcome === 'unavailable') metrics.attemptsUnlogged.inc();
    });
  }

  return {
    attempted(delivery, { url, atMs, durationMs, outcome: answer }, outcome, nextAttemptAt) {
      append({
        ...identityOf(delivery),
        attempt: delivery.attempt,
        attemptedAt: atMs,
        durationMs: Math.round(durationMs),
        outcome,
        ...(answer.kind === 'answered'
          ? { status: answer.status, error: '', responseStart: startOf(answer.responseStart) }
          : { status: null, error: errorOf(answer), responseStart: '' }),
        urlHost: hostOf(url),
        nextAttemptAt: nextAttemptAt ?? null,
      });
    },
    notAttempted(delivery, outcome, why) {
      append({
        ...identityOf(delivery),
        attempt: 0,
        attemptedAt: clock.wallMs(),
        durationMs: 0,
        outcome,
        status: null,
        error: why,
        responseStart: '',
        urlHost: '',
        nextAttemptAt: null,
      });
    },
    close: () => batches.close(),
  };
}

/** Why there was no response; empty if there was one. */
export function errorOf(outcome: AttemptOutcome): string {
  switch (outcome.kind) {
    case 'answered':
      return '';
    case 'timed_out':
      return 'no response in time';
    case 'connection_failed':
      return `the connection failed: ${outcome.reason}`;
    case 'refused':
      return `not sent: ${outcome.reason}`;
    case 'aborted':
      return 'interrupted';
  }
}

/** The first characters of a response. Half of a surrogate pair at the end is removed: it is not valid text. */
export function startOf(responseStart: string): string {
  return responseStart.slice(0, DELIVERY_LIMITS.attemptResponseLength).replace(/[\uD800-\uDBFF]$/, '');
}

function identityOf(delivery: Delivery) {
  const { id: deliveryId, webhook, game, environment, type, player, place } = delivery;
  return { deliveryId, webhook, game, environment, type, player, place };
}

function hostOf(url: string): string {
  return (URL.parse(url)?.host ?? '').slice(0, DELIVERY_LIMITS.attemptHostLength);
}
