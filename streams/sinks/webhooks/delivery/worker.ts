import { scopeKey } from '../record/scope-key.ts';
import { nextTick, within } from '../../../../core/kernel/clock.ts';
import { DELIVERY_LIMITS } from './limits.ts';
import { QUEUE_LIMITS } from '../queue/limits.ts';
import { SHARED_LIMITS } from '../../../../core/kernel/limits.ts';
import type { Ids } from '../../../../core/kernel/ids.ts';
import type { Log } from '../../../log/log.ts';
import { type AttemptsOptions, createAttempts } from './attempts.ts';
import { decodeDeliveries } from '../record/delivery-record.ts';
import { createDeliveryQueue, type DeliveryInWork } from '../queue/delivery-queue.ts';
import { HAND_BACK_MS, type RecordInWork } from '../queue/remainders.ts';
import { createConcurrencyLimiter } from '../queue/concurrency-limiter.ts';
import type { Health } from '../queue/receivers.ts';
import { createOldestUndelivered } from '../queue/oldest-undelivered.ts';
import { createDeferDelays } from '../queue/defer-delays.ts';
import { createWorkInProgress } from './work-in-progress.ts';
import { createWebhookHealth } from './webhook-health.ts';

export interface WorkerOptions extends Omit<AttemptsOptions, 'queue' | 'health' | 'oldest' | 'isRunning' | 'track'> {
  log: Log;
  ids: Ids;
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
  const { log, config, clock, ids, logger, metrics, sender, erasures, timeoutMs } = options;
  let state: 'running' | 'stopping' | 'stopped' = 'running';
  const work = createWorkInProgress(logger);
  const health = createWebhookHealth(log, clock);
  const oldest = createOldestUndelivered(clock);
  const queue = createDeliveryQueue({ ...options, isStopped: () => state === 'stopped' });
  const attempts = createAttempts({
    ...options,
    queue,
    health,
    oldest,
    isRunning: () => state === 'running',
    track: trackInWork,
  });
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
      work.track(handle(record), () => queue.handBack(record));
    },
  });

  function sweep(): void {
    limiter.sweep();
    metrics.deliveriesInFlight.set(limiter.running);
    metrics.openCircuits.set(limiter.unresponsive);
    metrics.oldestUndelivered.set(oldest.ageMs() / 1000);
    cancelSweep = nextTick(clock, DELIVERY_LIMITS.deliveryProgressMs, sweep);
  }

  function trackInWork(held: DeliveryInWork, of: Promise<void>): void {
    work.track(of, () => queue.giveBack(held));
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
    if (!attempts.mayBeSent(delivery)) {
      await attempts.drop(held);
      return;
    }
    const taken = limiter.offer(delivery.webhook, scopeKey(delivery), {
      run: () => asJob(held, attempts.attempt(held)),
      defer: () => trackInWork(held, defer(held)),
    });
    if (taken) oldest.waits(delivery, clock.wallMs() + timeoutMs);
    else await defer(held);
  }

  /** Turns work into a job of the limiter, which must not reject. */
  async function asJob(held: DeliveryInWork, attempt: Promise<Health>): Promise<Health> {
    let result: Health = 'unknown';
    const job = attempt.then((health) => {
      result = health;
    });
    trackInWork(held, job);
    await Promise.allSettled([job]);
    return result;
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
      await within(clock, SHARED_LIMITS.deliveryStopMs, work.idle());
      state = 'stopped';
      sender.close();
      await within(clock, HAND_BACK_MS, work.idle());
      await queue.close();
      cancelSweep();
      health.stop();
    },
  };
}
