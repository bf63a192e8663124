import { type Clock, sleep, within } from '../../../src/kernel/clock.ts';
import { LIMITS } from '../../../src/kernel/limits.ts';
import type { Ids } from '../../../src/kernel/ids.ts';
import type { Logger } from '../../../src/kernel/logger.ts';
import type { SinkMetrics } from '../../../src/kernel/metrics.ts';
import type { WebhookDocument } from '../../config/documents.ts';
import { watchErasures } from '../../erasures.ts';
import type { Log, WorkItem } from '../../log.ts';
import { appendUntilAcked } from './append-until-acked.ts';
import { type Delivery, decodeDelivery, dueSubject, encodeDelivery, scheduledSubject } from './delivery.ts';
import { type Health, createLanes } from './lanes.ts';
import { deliveryBody, deliveryHeaders } from './payload.ts';
import { retryDelayMs } from './retry-schedule.ts';
import { type AttemptOutcome, type DeliverySender, isDelivered } from './sender.ts';
import type { WebhookConfig } from './webhook-config.ts';

export interface WorkerOptions {
  log: Log;
  config: WebhookConfig;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  metrics: SinkMetrics;
  sender: DeliverySender;
  /** Delays before the second attempt, the third, …, for the policy `exponential`. */
  retryDelaysMs: readonly number[];
  /** Bounds one attempt, end to end. */
  timeoutMs: number;
}

export interface Worker {
  /** Takes nothing more; waits a moment for what is in flight and cuts the rest off, which comes again elsewhere. */
  stop(): Promise<void>;
}

const CONFIG_WAIT_MS = 5_000;
/** When an item that this process can't see to is handed out again. */
const HAND_BACK_MS = 1_000;
const ACK_TRIES = 10;

/**
 * Makes the attempts that are due. Any number of processes share the queue.
 *
 * Invariants
 * 1. An attempt leaves the queue only after its end is certain: delivered, given up, or the next one stored. So a crash
 *    repeats an attempt under the same id, and loses none.
 * 2. An item in `held` is this process's, and the broker is told so until it is let go; then it is touched no more.
 * 3. A webhook that was disabled or deleted meanwhile gets nothing more, and nobody is told of a player that was erased.
 */
export function createWorker(options: WorkerOptions): Worker {
  const { log, config, clock, ids, logger, metrics, sender, retryDelaysMs, timeoutMs } = options;
  const erasures = watchErasures(log, clock);
  let state: 'running' | 'stopping' | 'stopped' = 'running';
  const busy = new Set<Promise<void>>();
  const held = new Set<WorkItem>();
  let cancelBeat = clock.timer(LIMITS.deliveryBeatMs, beat);
  let cancelSweep = clock.timer(LIMITS.deliveryProgressMs, sweep);
  const lanes = createLanes({
    clock,
    total: LIMITS.deliveriesInFlight,
    perLane: LIMITS.deliveriesPerWebhook,
    waitingPerLane: LIMITS.deliveriesWaitingPerWebhook,
    progressMs: LIMITS.deliveryProgressMs,
    maxLanes: LIMITS.deliveryLanes,
  });

  const stopWork = log.work('DELIVERIES', {
    durable: 'webhooks',
    subjects: ['deliveries.due.*'],
    ackWaitMs: LIMITS.deliveryAckWaitMs,
    maxInFlight: LIMITS.deliveriesHandedOut,
    onItem: (item) => track(item, handle(item)),
  });

  function beat(): void {
    for (const item of held) item.working();
    cancelBeat = clock.timer(LIMITS.deliveryBeatMs, beat);
  }

  function sweep(): void {
    lanes.sweep();
    cancelSweep = clock.timer(LIMITS.deliveryProgressMs, sweep);
  }

  /** Keeps account of what is under way. A failure here is a bug; its item comes again. */
  function track(item: WorkItem, work: Promise<void>): void {
    const promise = work
      .catch((error: unknown) => {
        logger.error({ err: error }, 'webhooks: handling a delivery failed; it comes again');
        handBack(item);
      })
      .finally(() => busy.delete(promise));
    busy.add(promise);
  }

  /** Resolves once nothing is under way; what is under way may start more. */
  async function settled(): Promise<void> {
    while (busy.size > 0) await Promise.all(busy);
  }

  async function handle(item: WorkItem): Promise<void> {
    held.add(item);
    const delivery = decodeDelivery(item.record.data);
    if (delivery === undefined) {
      logger.error({ subject: item.record.subject }, 'webhooks: a record of DELIVERIES cannot be read; dropped');
      await finish(item, 'unreadable');
      return;
    }
    const fresh = config.revision >= delivery.configRevision;
    if (!erasures.current || (!fresh && !(await config.seen(delivery.configRevision, CONFIG_WAIT_MS)))) {
      handBack(item);
      return;
    }
    if (!mayBeTold(delivery)) {
      await finish(item, 'dropped');
      return;
    }
    const taken = lanes.offer(delivery.webhook, {
      run: () => asJob(item, attempt(item, delivery)),
      putOff: () => track(item, putOff(item, delivery)),
    });
    if (!taken) await putOff(item, delivery);
  }

  /** A lane's job never rejects. */
  async function asJob(item: WorkItem, work: Promise<Health>): Promise<Health> {
    let health: Health = 'unknown';
    const job = work.then((result) => {
      health = result;
    });
    track(item, job);
    await Promise.allSettled([job]);
    return health;
  }

  /** The webhook if it still wants deliveries. Looked up again for every attempt. */
  function wantedBy({ game, environment, webhook }: Delivery): WebhookDocument | undefined {
    const entry = config.get({ game, environment, kind: 'webhook', key: webhook });
    return entry?.document.enabled === true ? entry.document : undefined;
  }

  function mayBeTold(delivery: Delivery): boolean {
    return wantedBy(delivery) !== undefined && !erasures.covers(delivery.player, delivery.place);
  }

  /** Makes one attempt and sees to what follows. */
  async function attempt(item: WorkItem, delivery: Delivery): Promise<Health> {
    if (state !== 'running') {
      handBack(item);
      return 'unknown';
    }
    const webhook = wantedBy(delivery);
    if (webhook === undefined || !mayBeTold(delivery)) {
      await finish(item, 'dropped');
      return 'unknown';
    }
    const body = deliveryBody(delivery);
    const headers = deliveryHeaders(delivery, webhook, body, clock.wallMs());
    const outcome = await sender.send({ url: webhook.url, headers, body, timeoutMs });
    // Only a stop cuts an attempt off; it hands back whatever is still held.
    if (outcome.kind === 'aborted') return 'unknown';
    // What follows is between us and the broker: the receiver's place is free meanwhile.
    if (isDelivered(outcome)) {
      track(item, finish(item, 'delivered'));
      return 'well';
    }
    track(item, afterFailure(item, delivery, webhook, outcome));
    return outcome.kind === 'answered' ? 'failing' : 'hanging';
  }

  /** Stores the next attempt, then lets go of this one. */
  async function afterFailure(
    item: WorkItem,
    delivery: Delivery,
    webhook: WebhookDocument,
    outcome: AttemptOutcome,
  ): Promise<void> {
    const delayMs = retryDelayMs(webhook.retryPolicy, delivery.attempt, retryDelaysMs);
    const about = { webhook: delivery.webhook, delivery: delivery.id, attempt: delivery.attempt, ...describe(outcome) };
    if (delayMs === undefined) {
      logger.warn(about, 'webhooks: a delivery failed for the last time');
      await finish(item, 'exhausted');
      return;
    }
    logger.info({ ...about, retryInMs: delayMs }, 'webhooks: an attempt failed');
    const next = { ...delivery, attempt: delivery.attempt + 1, deferrals: 0 };
    await replace(item, next, delayMs, outcome.kind === 'timed_out' ? 'timed_out' : 'failed');
  }

  /** There is no place for it: the same attempt comes again a little later, uncounted, and takes up nothing meanwhile. */
  async function putOff(item: WorkItem, delivery: Delivery): Promise<void> {
    const longestMs = Math.min(LIMITS.deliveryDeferMs * 2 ** delivery.deferrals, LIMITS.deliveryDeferMaxMs);
    const delayMs = Math.round(longestMs * (0.5 + ids.random() / 2));
    await replace(item, { ...delivery, deferrals: delivery.deferrals + 1 }, delayMs, 'put_off');
  }

  /** Stores what follows an item, and only then acknowledges the item. */
  async function replace(item: WorkItem, next: Delivery, delayMs: number, outcome: string): Promise<void> {
    const due = dueSubject(next.webhook);
    const schedule = { atMs: clock.wallMs() + delayMs, target: due };
    const messageId = `${next.id}:${next.attempt}:${next.deferrals}`;
    const terms = { log, clock, logger, givenUp: () => state === 'stopped', waitsWhenFull: false };
    const stored = await (delayMs === 0
      ? appendUntilAcked(terms, due, encodeDelivery(next), { messageId })
      : appendUntilAcked(terms, scheduledSubject(next), encodeDelivery(next), { messageId, schedule }));
    if (stored === 'given_up') handBack(item);
    else if (stored === 'full') keepForLater(item, delayMs);
    else await finish(item, outcome);
  }

  /** DELIVERIES has no room for the next attempt: then this record, which has its room, is the next one, uncounted. */
  function keepForLater(item: WorkItem, delayMs: number): void {
    logger.warn({ subject: item.record.subject }, 'webhooks: DELIVERIES is full; an attempt is repeated uncounted');
    held.delete(item);
    item.retryIn(Math.max(HAND_BACK_MS, Math.min(delayMs, LIMITS.deliveryDeferMaxMs)));
  }

  /** Lets an item go that somebody else, or this process later, has to see to. */
  function handBack(item: WorkItem): void {
    held.delete(item);
    item.retryIn(HAND_BACK_MS);
  }

  /** Lets an item go for good. An acknowledgement that a broken connection swallowed is sent again: it saves a repeat. */
  async function finish(item: WorkItem, outcome: string): Promise<void> {
    metrics.deliveries.inc({ outcome });
    held.delete(item);
    for (let tries = 1; !(await item.ack()); tries++) {
      if (tries === ACK_TRIES || state === 'stopped') {
        logger.warn({ outcome }, 'webhooks: an acknowledgement was not confirmed; the attempt may come again');
        return;
      }
      await sleep(clock, HAND_BACK_MS);
    }
  }

  return {
    async stop() {
      stopWork();
      state = 'stopping';
      await within(clock, LIMITS.deliveryStopMs, settled());
      state = 'stopped';
      sender.close();
      await within(clock, HAND_BACK_MS, settled());
      for (const item of held) handBack(item);
      cancelBeat();
      cancelSweep();
      erasures.stop();
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
