import type { Clock } from '../../../../core/kernel/clock.ts';
import type { Logger } from '../../../../core/kernel/logger.ts';
import type { WebhookDocument } from '../../../../core/vocabulary/documents/documents.ts';
import type { Erasures } from '../../../facts/erasures.ts';
import type { TracedEvents } from '../../../freshness/traced-events.ts';
import type { Health } from '../queue/receivers.ts';
import type { DeliveryInWork, DeliveryQueue } from '../queue/delivery-queue.ts';
import type { OldestUndelivered } from '../queue/oldest-undelivered.ts';
import type { Delivery } from '../record/delivery.ts';
import type { WebhookMetrics } from '../record/metrics.ts';
import { deliveryBody, deliveryHeaders } from '../record/payload.ts';
import type { WebhookConfig } from '../record/webhook-config.ts';
import type { AttemptLog, MadeAttempt } from './attempt-log.ts';
import { disableWebhook } from './disable-webhook.ts';
import { DELIVERY_LIMITS } from './limits.ts';
import { nextAttemptDelayMs } from './retry-delay.ts';
import { type AttemptOutcome, type DeliverySender, isDelivered } from './sender.ts';
import type { WebhookHealth } from './webhook-health.ts';

const GONE = 410;

export interface AttemptsOptions {
  config: WebhookConfig;
  clock: Clock;
  logger: Logger;
  metrics: WebhookMetrics;
  sender: DeliverySender;
  erasures: Erasures;
  attempts: AttemptLog;
  /** Measures the time to the answer of receivers. */
  traced?: TracedEvents | undefined;
  /** Delays before the second attempt, the third, …, for the policy `exponential`. */
  retryDelaysMs: readonly number[];
  /** Bounds one attempt, end to end. */
  timeoutMs: number;
  queue: Pick<DeliveryQueue, 'finish' | 'replace' | 'giveBack'>;
  health: WebhookHealth;
  oldest: OldestUndelivered;
  /** False: no more attempts are begun. */
  isRunning: () => boolean;
  /** Registers work that no slot waits for. */
  track: (held: DeliveryInWork, work: Promise<void>) => void;
}

/** Makes attempts, and stores what follows from their outcome. */
export interface Attempts {
  /** Whether the webhook is enabled and the player not erased. Read before every attempt. */
  mayBeSent(delivery: Delivery): boolean;
  /** Ends a delivery that must not be sent. */
  drop(held: DeliveryInWork): Promise<void>;
  /** Makes one attempt; then finishes the delivery or stores the next attempt. */
  attempt(held: DeliveryInWork): Promise<Health>;
}

export function createAttempts(options: AttemptsOptions): Attempts {
  const { config, clock, logger, metrics, sender, erasures, attempts, retryDelaysMs, timeoutMs } = options;
  const { queue, health, oldest, isRunning, track } = options;

  /** The webhook, if it exists and is enabled. */
  function enabledWebhookOf({ game, environment, webhook }: Delivery): WebhookDocument | undefined {
    const entry = config.get({ game, environment, kind: 'webhook', key: webhook });
    return entry?.document.enabled === true ? entry.document : undefined;
  }

  function mayBeSent(delivery: Delivery): boolean {
    return enabledWebhookOf(delivery) !== undefined && !erasures.covers(delivery.player, delivery.place);
  }

  async function drop(held: DeliveryInWork): Promise<void> {
    const { delivery } = held;
    oldest.ended(delivery);
    // For an erased player the attempt log writes nothing.
    attempts.notAttempted(delivery, 'dropped', 'the webhook is disabled or deleted');
    await queue.finish(held, 'dropped');
  }

  async function attempt(held: DeliveryInWork): Promise<Health> {
    const { delivery } = held;
    if (!isRunning()) {
      await queue.giveBack(held);
      return 'unknown';
    }
    const webhook = enabledWebhookOf(delivery);
    if (webhook === undefined || !mayBeSent(delivery)) {
      await drop(held);
      return 'unknown';
    }
    const body = deliveryBody(delivery);
    const atMs = clock.wallMs();
    const startedMs = clock.monotonicMs();
    const headers = deliveryHeaders(delivery, webhook, body, atMs);
    const outcome = await sender.send({ url: webhook.url, headers, body, timeoutMs });
    // Only a stop aborts an attempt, and gives back all that is held.
    if (outcome.kind === 'aborted') return 'unknown';
    const made = { url: webhook.url, atMs, durationMs: clock.monotonicMs() - startedMs, outcome };
    // The remaining work concerns the broker only: it runs without the receiver's slot.
    if (isDelivered(outcome)) {
      health.succeeded(webhook);
      oldest.ended(delivery);
      // Retries wait for their receiver, and a redelivery for its operator.
      if (delivery.attempt === 1 && delivery.run === undefined) options.traced?.arrived(delivery.owedSince);
      attempts.attempted(delivery, made, 'delivered');
      track(held, queue.finish(held, 'delivered'));
      return 'healthy';
    }
    track(held, afterFailure(held, webhook, made));
    return outcome.kind === 'answered' ? 'failing' : 'unresponsive';
  }

  /** Stores the next attempt, if there is one, and finishes this one. */
  async function afterFailure(held: DeliveryInWork, webhook: WebhookDocument, made: MadeAttempt): Promise<void> {
    const { delivery } = held;
    const { outcome } = made;
    const nowMs = clock.wallMs();
    const isGone = outcome.kind === 'answered' && outcome.status === GONE;
    const delayMs = isGone
      ? undefined
      : nextAttemptDelayMs(outcome, delivery.attempt, webhook.retryPolicy, retryDelaysMs, nowMs);
    const failingSince = health.failed(webhook);
    const about = { webhook: delivery.webhook, delivery: delivery.id, attempt: delivery.attempt, ...describe(outcome) };
    if (delayMs === undefined) attempts.attempted(delivery, made, 'exhausted');
    else attempts.attempted(delivery, made, 'failed', nowMs + delayMs);
    const hasFailedTooLong = nowMs - failingSince >= DELIVERY_LIMITS.webhookFailingMs;
    if (isGone || hasFailedTooLong) {
      await disableWebhook({ config, clock, logger, metrics }, delivery, webhook, isGone ? 'gone' : 'failing');
    }
    if (delayMs === undefined) {
      logger.warn(about, 'webhooks: the last attempt of a delivery failed');
      oldest.ended(delivery);
      await queue.finish(held, 'exhausted');
      return;
    }
    logger.info({ ...about, retryInMs: delayMs }, 'webhooks: an attempt failed');
    oldest.waits(delivery, nowMs + delayMs);
    const next = { ...delivery, attempt: delivery.attempt + 1, deferrals: 0 };
    await queue.replace(held, next, delayMs, outcome.kind === 'timed_out' ? 'timed_out' : 'failed');
  }

  return { mayBeSent, drop, attempt };
}

/** An outcome for the service log, without the response body: that may hold secrets of the receiver. */
function describe(outcome: AttemptOutcome): Record<string, unknown> {
  switch (outcome.kind) {
    case 'answered':
      return { outcome: outcome.kind, status: outcome.status };
    case 'connection_failed':
    case 'refused':
      return { outcome: outcome.kind, reason: outcome.reason };
    case 'timed_out':
    case 'aborted':
      return { outcome: outcome.kind };
  }
}
