import { scopeKey } from '../record/scope-key.ts';
import { type Clock, nextTick, within } from '../../../../core/kernel/clock.ts';
import { DELIVERY_LIMITS } from './limits.ts';
import { QUEUE_LIMITS } from '../queue/limits.ts';
import { SHARED_LIMITS } from '../../../../core/kernel/limits.ts';
import type { Ids } from '../../../../core/kernel/ids.ts';
import type { Logger } from '../../../../core/kernel/logger.ts';
import type { WebhookMetrics } from '../record/metrics.ts';
import type { WebhookDocument } from '../../../../core/vocabulary/documents/documents.ts';
import type { Erasures } from '../../../facts/erasures.ts';
import type { TracedEvents } from '../../../freshness/traced-events.ts';
import type { Log } from '../../../log/log.ts';
import type { AttemptLog, MadeAttempt } from './attempt-log.ts';
import type { Delivery } from '../record/delivery.ts';
import { decodeDeliveries } from '../record/delivery-record.ts';
import { createDeliveryQueue, type DeliveryInWork } from '../queue/delivery-queue.ts';
import { HAND_BACK_MS, type RecordInWork } from '../queue/records-in-work.ts';
import { disableWebhook } from './disable-webhook.ts';
import { type Health, createConcurrencyLimiter } from '../queue/concurrency-limiter.ts';
import { createOldestUndelivered } from '../queue/oldest-undelivered.ts';
import { deliveryBody, deliveryHeaders } from '../record/payload.ts';
import { createDeferDelays } from '../queue/defer-delays.ts';
import { nextAttemptDelayMs } from './retry-delay.ts';
import { type AttemptOutcome, type DeliverySender, isDelivered } from './sender.ts';
import type { WebhookConfig } from '../record/webhook-config.ts';
import { createWebhookHealth } from './webhook-health.ts';

export interface WorkerOptions {
  log: Log;
  config: WebhookConfig;
  clock: Clock;
  ids: Ids;
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
  /** The broker hands a delivery to another process after this long without a heartbeat. */
  ackWaitMs: number;
}

export interface Worker {
  /** Whether a webhook's receiver accepted its last delivery; true if this process has no history of it. */
  isHealthy(webhook: string): boolean;
  /** Takes no more deliveries, waits shortly for those in flight, and aborts the rest: other processes repeat them. */
  stop(): Promise<void>;
}

const CONFIG_WAIT_MS = 5_000;
const GONE = 410;

/**
 * Makes the attempts that are due: takes a record from the queue (delivery-queue.ts), waits for a slot for each of its
 * deliveries (concurrency-limiter.ts), sends it, and stores its retry or finishes it. Any number of processes share the
 * queue.
 *
 * Invariants
 * 1. A disabled or deleted webhook gets no further attempts, and no attempt is about an erased player.
 * 2. A delivery without a slot is deferred: the attempt is not counted, and uses no memory until it returns.
 * 3. No delivery waits for the attempt log.
 * 4. A record of a newer version stays in the queue.
 * 5. Deliveries of one record do not wait for each other.
 */
export function createWorker(options: WorkerOptions): Worker {
  const { log, config, clock, ids, logger, metrics, sender, erasures, attempts, retryDelaysMs, timeoutMs } = options;
  let state: 'running' | 'stopping' | 'stopped' = 'running';
  const inProgress = new Set<Promise<void>>();
  const health = createWebhookHealth(log, clock);
  const oldest = createOldestUndelivered(clock);
  const queue = createDeliveryQueue({ ...options, isStopped: () => state === 'stopped' });
  let cancelSweep = clock.timer(DELIVERY_LIMITS.deliveryProgressMs, sweep);
  const limiter = createConcurrencyLimiter({
    clock,
    total: DELIVERY_LIMITS.deliveriesInFlight,
    perGroup: DELIVERY_LIMITS.deliveriesInFlightPerGame,
    perReceiver: DELIVERY_LIMITS.deliveriesPerWebhook,
    waitingPerReceiver: DELIVERY_LIMITS.deliveriesWaitingPerWebhook,
    waitingPerFastReceiver: QUEUE_LIMITS.deliveriesHandedOut,
    progressMs: DELIVERY_LIMITS.deliveryProgressMs,
    silentMs: DELIVERY_LIMITS.deliverySilentMs,
    maxReceivers: QUEUE_LIMITS.webhooksInMemory,
  });

  const deferDelays = createDeferDelays({ clock, ids, limiter });

  const stopWork = log.work('DELIVERIES', {
    durable: 'webhooks',
    subjects: ['deliveries.due.*'],
    ackWaitMs: options.ackWaitMs,
    maxInFlight: QUEUE_LIMITS.deliveriesHandedOut,
    onItem(item) {
      const record = queue.hold(item);
      track(handle(record), () => queue.handBack(record));
    },
  });

  function sweep(): void {
    limiter.sweep();
    metrics.deliveriesInFlight.set(limiter.running);
    metrics.openCircuits.set(limiter.unresponsive);
    metrics.oldestUndelivered.set(oldest.ageMs() / 1000);
    cancelSweep = nextTick(clock, DELIVERY_LIMITS.deliveryProgressMs, sweep);
  }

  /** Registers work in progress. A rejection is a bug; what it concerns is handed out again. */
  function track(work: Promise<void>, giveBack: () => unknown): void {
    const promise = work
      .catch(async (error: unknown) => {
        logger.error({ err: error }, 'webhooks: handling a delivery failed; it will be repeated');
        await giveBack();
      })
      .catch((error: unknown) =>
        logger.warn({ err: error }, 'webhooks: a delivery comes again only after its ack wait'),
      )
      .finally(() => inProgress.delete(promise));
    inProgress.add(promise);
  }

  const trackInWork = (held: DeliveryInWork, work: Promise<void>): void => track(work, () => queue.giveBack(held));

  /** Resolves once all work has completed, including the work that it starts. */
  async function idle(): Promise<void> {
    while (inProgress.size > 0) await Promise.all(inProgress);
  }

  async function handle(record: RecordInWork): Promise<void> {
    const { subject, data } = record.item.record;
    const deliveries = decodeDeliveries(data);
    if (deliveries === undefined) {
      logger.error(
        { subject },
        'webhooks: a newer version queued a delivery that this one cannot read; it waits for a newer process',
      );
      await queue.postpone(record, DELIVERY_LIMITS.deliveryUnreadableMs);
      return;
    }
    const revision = deliveries.reduce((newest, { configRevision }) => Math.max(newest, configRevision), 0);
    const hasConfig = config.revision >= revision;
    if (!erasures.current || (!hasConfig && !(await config.seen(revision, CONFIG_WAIT_MS)))) {
      queue.handBack(record);
      return;
    }
    for (const held of await queue.open(record, deliveries)) trackInWork(held, begin(held));
  }

  /** Drops a delivery, or makes its attempt as soon as there is a slot, or defers it. */
  async function begin(held: DeliveryInWork): Promise<void> {
    const { delivery } = held;
    if (!mayBeSent(delivery)) {
      await drop(held);
      return;
    }
    const taken = limiter.offer(delivery.webhook, scopeKey(delivery), {
      run: () => asJob(held, attempt(held)),
      defer: () => trackInWork(held, defer(held)),
    });
    if (taken) oldest.waits(delivery, clock.wallMs() + timeoutMs);
    else await defer(held);
  }

  /** Turns work into a job of the limiter, which must not reject. */
  async function asJob(held: DeliveryInWork, work: Promise<Health>): Promise<Health> {
    let result: Health = 'unknown';
    const job = work.then((health) => {
      result = health;
    });
    trackInWork(held, job);
    await Promise.allSettled([job]);
    return result;
  }

  /** The webhook, if it exists and is enabled. Read before every attempt. */
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

  /** Makes one attempt; then finishes the delivery or stores the next attempt. */
  async function attempt(held: DeliveryInWork): Promise<Health> {
    const { delivery } = held;
    if (state !== 'running') {
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
      trackInWork(held, queue.finish(held, 'delivered'));
      return 'healthy';
    }
    trackInWork(held, afterFailure(held, webhook, made));
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

  /** Stores the same attempt for a later time, because there is no slot for it now. */
  async function defer(held: DeliveryInWork): Promise<void> {
    const { delivery } = held;
    const delayMs = deferDelays.delayOf(delivery);
    oldest.waits(delivery, clock.wallMs() + delayMs);
    await queue.replace(held, { ...delivery, deferrals: delivery.deferrals + 1 }, delayMs, 'put_off');
  }

  return {
    isHealthy: (webhook) => limiter.isHealthy(webhook),
    async stop() {
      stopWork();
      state = 'stopping';
      await within(clock, SHARED_LIMITS.deliveryStopMs, idle());
      state = 'stopped';
      sender.close();
      await within(clock, HAND_BACK_MS, idle());
      await queue.close();
      cancelSweep();
      health.stop();
    },
  };
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
