import { type Clock, within } from '../../../../src/kernel/clock.ts';
import { LIMITS } from '../../../../src/kernel/limits.ts';
import type { Ids } from '../../../../src/kernel/ids.ts';
import type { Logger } from '../../../../src/kernel/logger.ts';
import type { SinkMetrics } from '../../../../src/kernel/metrics.ts';
import type { WebhookDocument } from '../../../../actors/vocabulary/documents.ts';
import type { Erasures } from '../../../erasures.ts';
import type { Log, WorkItem } from '../../../log/log.ts';
import type { AttemptLog, MadeAttempt } from './attempt-log.ts';
import { type Delivery, decodeDelivery } from './delivery.ts';
import { createDeliveryQueue, HAND_BACK_MS } from '../queue/delivery-queue.ts';
import { disableWebhook } from './disable-webhook.ts';
import { type Health, createConcurrencyLimiter } from '../queue/concurrency-limiter.ts';
import { createOldestUndelivered } from '../queue/oldest-undelivered.ts';
import { deliveryBody, deliveryHeaders } from '../matching/payload.ts';
import { createDeferDelays } from '../queue/defer-delays.ts';
import { retryAfterMs } from './retry-after.ts';
import { retryDelayMs } from '../queue/retry-schedule.ts';
import { type AttemptOutcome, type DeliverySender, isDelivered } from './sender.ts';
import { scopeKey } from '../matching/subscriptions.ts';
import type { WebhookConfig } from '../webhook-config.ts';
import { createWebhookHealth } from './webhook-health.ts';

export interface WorkerOptions {
  log: Log;
  config: WebhookConfig;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  metrics: SinkMetrics;
  sender: DeliverySender;
  erasures: Erasures;
  attempts: AttemptLog;
  /** Delays before the second attempt, the third, …, for the policy `exponential`. */
  retryDelaysMs: readonly number[];
  /** Bounds one attempt, end to end. */
  timeoutMs: number;
  /** How long this process may show no life for a delivery before another makes it. */
  ackWaitMs: number;
}

export interface Worker {
  /** Whether a webhook's receiver took what it got last; of one that this process knows nothing of, true. */
  isWell(webhook: string): boolean;
  /** Takes nothing more; waits a moment for what is in flight and cuts the rest off, which comes again elsewhere. */
  stop(): Promise<void>;
}

const CONFIG_WAIT_MS = 5_000;
const GONE = 410;

/**
 * Makes the attempts that are due. Any number of processes share the queue (delivery-queue.ts).
 *
 * Invariants
 * 1. A webhook that was disabled or deleted meanwhile gets nothing more, and nobody is told of a player that was erased.
 * 2. What finds no place is put off uncounted, and takes up nothing meanwhile.
 * 3. Nothing waits for the log of attempts.
 */
export function createWorker(options: WorkerOptions): Worker {
  const { log, config, clock, ids, logger, metrics, sender, erasures, attempts, retryDelaysMs, timeoutMs } = options;
  const { ackWaitMs } = options;
  let state: 'running' | 'stopping' | 'stopped' = 'running';
  const busy = new Set<Promise<void>>();
  const health = createWebhookHealth(log, clock);
  const oldest = createOldestUndelivered(clock);
  const queue = createDeliveryQueue({ log, clock, logger, metrics, ackWaitMs, isStopped: () => state === 'stopped' });
  let cancelSweep = clock.timer(LIMITS.deliveryProgressMs, sweep);
  const lanes = createConcurrencyLimiter({
    clock,
    total: LIMITS.deliveriesInFlight,
    perGroup: LIMITS.deliveriesInFlightPerGame,
    perLane: LIMITS.deliveriesPerWebhook,
    waitingPerLane: LIMITS.deliveriesWaitingPerWebhook,
    progressMs: LIMITS.deliveryProgressMs,
    silentMs: LIMITS.deliverySilentMs,
    maxLanes: LIMITS.deliveryLanes,
  });

  const deferDelays = createDeferDelays({ clock, ids, lanes });

  const stopWork = log.work('DELIVERIES', {
    durable: 'webhooks',
    subjects: ['deliveries.due.*'],
    ackWaitMs,
    maxInFlight: LIMITS.deliveriesHandedOut,
    onItem: (item) => track(item, handle(item)),
  });

  function sweep(): void {
    lanes.sweep();
    metrics.deliveriesInFlight.set(lanes.running);
    metrics.openCircuits.set(lanes.hanging);
    metrics.oldestUndelivered.set(oldest.ageMs() / 1000);
    cancelSweep = clock.timer(LIMITS.deliveryProgressMs, sweep);
  }

  /** Keeps account of what is under way. A failure here is a bug; its item comes again. */
  function track(item: WorkItem, work: Promise<void>): void {
    const promise = work
      .catch((error: unknown) => {
        logger.error({ err: error }, 'webhooks: handling a delivery failed; it comes again');
        queue.handBack(item);
      })
      .finally(() => busy.delete(promise));
    busy.add(promise);
  }

  /** Resolves once nothing is under way; what is under way may start more. */
  async function settled(): Promise<void> {
    while (busy.size > 0) await Promise.all(busy);
  }

  async function handle(item: WorkItem): Promise<void> {
    queue.hold(item);
    const delivery = decodeDelivery(item.record.data);
    if (delivery === undefined) {
      logger.error({ subject: item.record.subject }, 'webhooks: a record of DELIVERIES cannot be read; dropped');
      await queue.finish(item, 'unreadable');
      return;
    }
    const fresh = config.revision >= delivery.configRevision;
    if (!erasures.current || (!fresh && !(await config.seen(delivery.configRevision, CONFIG_WAIT_MS)))) {
      queue.handBack(item);
      return;
    }
    if (!mayBeTold(delivery)) {
      await drop(item, delivery);
      return;
    }
    const taken = lanes.offer(delivery.webhook, scopeKey(delivery), {
      run: () => asJob(item, attempt(item, delivery)),
      defer: () => track(item, defer(item, delivery)),
    });
    if (taken) oldest.waits(delivery, clock.wallMs() + timeoutMs);
    else await defer(item, delivery);
  }

  /** A lane's job never rejects. */
  async function asJob(item: WorkItem, work: Promise<Health>): Promise<Health> {
    let result: Health = 'unknown';
    const job = work.then((found) => {
      result = found;
    });
    track(item, job);
    await Promise.allSettled([job]);
    return result;
  }

  /** The webhook if it still wants deliveries. Looked up again for every attempt. */
  function wantedBy({ game, environment, webhook }: Delivery): WebhookDocument | undefined {
    const entry = config.get({ game, environment, kind: 'webhook', key: webhook });
    return entry?.document.enabled === true ? entry.document : undefined;
  }

  function mayBeTold(delivery: Delivery): boolean {
    return wantedBy(delivery) !== undefined && !erasures.covers(delivery.player, delivery.place);
  }

  async function drop(item: WorkItem, delivery: Delivery): Promise<void> {
    oldest.ended(delivery);
    // Of an erased player the log of attempts keeps nothing by itself.
    attempts.notAttempted(delivery, 'dropped', 'the webhook is disabled or deleted');
    await queue.finish(item, 'dropped');
  }

  /** Makes one attempt and sees to what follows. */
  async function attempt(item: WorkItem, delivery: Delivery): Promise<Health> {
    if (state !== 'running') {
      queue.handBack(item);
      return 'unknown';
    }
    const webhook = wantedBy(delivery);
    if (webhook === undefined || !mayBeTold(delivery)) {
      await drop(item, delivery);
      return 'unknown';
    }
    const body = deliveryBody(delivery);
    const atMs = clock.wallMs();
    const startedMs = clock.monotonicMs();
    const headers = deliveryHeaders(delivery, webhook, body, atMs);
    const outcome = await sender.send({ url: webhook.url, headers, body, timeoutMs });
    // Only a stop cuts an attempt off; it hands back whatever is still held.
    if (outcome.kind === 'aborted') return 'unknown';
    const made = { url: webhook.url, atMs, durationMs: clock.monotonicMs() - startedMs, outcome };
    // What follows is between us and the broker: the receiver's place is free meanwhile.
    if (isDelivered(outcome)) {
      health.succeeded(webhook);
      oldest.ended(delivery);
      attempts.attempted(delivery, made, 'delivered');
      track(item, queue.finish(item, 'delivered'));
      return 'well';
    }
    track(item, afterFailure(item, delivery, webhook, made));
    return outcome.kind === 'answered' ? 'failing' : 'hanging';
  }

  /** Stores the next attempt, if there is one, then lets go of this one. */
  async function afterFailure(
    item: WorkItem,
    delivery: Delivery,
    webhook: WebhookDocument,
    made: MadeAttempt,
  ): Promise<void> {
    const { outcome } = made;
    const nowMs = clock.wallMs();
    const isGone = outcome.kind === 'answered' && outcome.status === GONE;
    const delayMs = isGone ? undefined : delayAfter(outcome, delivery, webhook, nowMs);
    const failingSince = health.failed(webhook);
    const about = { webhook: delivery.webhook, delivery: delivery.id, attempt: delivery.attempt, ...describe(outcome) };
    if (delayMs === undefined) attempts.attempted(delivery, made, 'exhausted');
    else attempts.attempted(delivery, made, 'failed', nowMs + delayMs);
    const isHopeless = nowMs - failingSince >= LIMITS.webhookFailingMs;
    if (isGone || isHopeless) {
      await disableWebhook({ config, clock, logger, metrics }, delivery, webhook, isGone ? 'gone' : 'failing');
    }
    if (delayMs === undefined) {
      logger.warn(about, 'webhooks: a delivery failed for the last time');
      oldest.ended(delivery);
      await queue.finish(item, 'exhausted');
      return;
    }
    logger.info({ ...about, retryInMs: delayMs }, 'webhooks: an attempt failed');
    oldest.waits(delivery, nowMs + delayMs);
    const next = { ...delivery, attempt: delivery.attempt + 1, deferrals: 0 };
    await queue.replace(item, next, delayMs, outcome.kind === 'timed_out' ? 'timed_out' : 'failed');
  }

  /** The later of the schedule and what the receiver asks for; `undefined`: there is no further attempt. */
  function delayAfter(outcome: AttemptOutcome, { attempt: made }: Delivery, webhook: WebhookDocument, nowMs: number) {
    const delayMs = retryDelayMs(webhook.retryPolicy, made, retryDelaysMs);
    return delayMs === undefined ? undefined : Math.max(delayMs, retryAfterMs(outcome, nowMs));
  }

  /** There is no place for it: the same attempt comes again a little later, uncounted, and takes up nothing meanwhile. */
  async function defer(item: WorkItem, delivery: Delivery): Promise<void> {
    const delayMs = deferDelays.delayOf(delivery);
    oldest.waits(delivery, clock.wallMs() + delayMs);
    await queue.replace(item, { ...delivery, deferrals: delivery.deferrals + 1 }, delayMs, 'put_off');
  }

  return {
    isWell: (webhook) => lanes.isWell(webhook),
    async stop() {
      stopWork();
      state = 'stopping';
      await within(clock, LIMITS.deliveryStopMs, settled());
      state = 'stopped';
      sender.close();
      await within(clock, HAND_BACK_MS, settled());
      queue.close();
      cancelSweep();
      health.stop();
    },
  };
}

/** What a log line tells of an outcome. Never the response body: it is the receiver's. */
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
