import { type Clock, sleep } from '../../../../core/kernel/clock.ts';
import { MATCHING_LIMITS } from '../matching/limits.ts';
import { QUEUE_LIMITS } from '../queue/limits.ts';
import { RECOVERY_LIMITS } from './limits.ts';
import type { Logger } from '../../../../core/kernel/logger.ts';
import type { ConfigEntry } from '../../../config/config-store.ts';
import { decodeCommit } from '../../../../core/codec/codec.ts';
import type { Erasures } from '../../../facts/erasures.ts';
import type { Log, LogRecord } from '../../../log/log.ts';
import { appendUntilAcked } from '../queue/append-until-acked.ts';
import { createBoundedTasks } from './bounded-tasks.ts';
import { createDeliveriesQuota } from '../queue/deliveries-quota.ts';
import { type Delivery, dueSubject, messageIdOf } from '../record/delivery.ts';
import { encodeDelivery } from '../record/delivery-record.ts';
import { matchRecord } from '../matching/facts/match-record.ts';
import type { RecoveryJob } from './recoveries.ts';
import { createSubscriptions, type Subscriptions } from '../matching/subscriptions.ts';
import type { WebhookConfig } from '../record/webhook-config.ts';
import { createWebhookQuota } from '../queue/webhook-quota.ts';
import type { CommitRecord } from '../../../../core/vocabulary/facts/commit-record.ts';

export interface RecoveryQueueOptions {
  log: Log;
  config: WebhookConfig;
  clock: Clock;
  logger: Logger;
  erasures: Erasures;
  /** Whether this process must stop working on the job. */
  isOver: () => boolean;
}

/**
 * Returns a function that queues the deliveries of one record and returns their number; `undefined`: the webhook is
 * disabled, or the recovery is over.
 */
export function createRecoveryQueue(
  options: RecoveryQueueOptions,
  job: Pick<RecoveryJob, 'id' | 'stream' | 'game' | 'environment' | 'webhook'>,
): (record: LogRecord) => Promise<number | undefined> {
  const { log, config, clock, logger, erasures, isOver } = options;
  const address = { game: job.game, environment: job.environment, kind: 'webhook', key: job.webhook } as const;
  const deliveriesQuota = createDeliveriesQuota({ log, clock, logger, limitBytes: MATCHING_LIMITS.deliveriesBytes });
  // Half of the quota: the rest is for new deliveries.
  const webhookQuota = createWebhookQuota({
    log,
    clock,
    limitBytes: MATCHING_LIMITS.deliveriesBytes,
    most: MATCHING_LIMITS.deliveriesPendingPerWebhook / 2,
    share: MATCHING_LIMITS.deliveriesPendingShare / 2,
  });
  const waitForRate = createRateLimit(clock, RECOVERY_LIMITS.recoveryPerSecond);
  let matching: { entry: ConfigEntry<'webhook'>; subscriptions: Subscriptions } | undefined;

  /** The webhook's current definition, compiled; `undefined` if it is disabled or deleted. */
  function subscriptions(): Subscriptions | undefined {
    const entry = config.get(address);
    if (entry?.document.enabled !== true) return undefined;
    if (matching?.entry.revision !== entry.revision) {
      matching = { entry, subscriptions: createSubscriptions({ list: () => [entry], onChange: () => () => {} }) };
    }
    return matching.subscriptions;
  }

  async function queue(record: LogRecord): Promise<number | undefined> {
    const current = subscriptions();
    if (current === undefined) return undefined;
    const appends = createBoundedTasks(MATCHING_LIMITS.matcherAppends);
    let count = 0;
    for (const delivery of deliveriesOf(record, current)) {
      if (erasures.covers(delivery.player, delivery.place)) continue;
      await waitForRate();
      const bytes = encodeDelivery(delivery);
      while (!isOver() && !(await webhookQuota.take(delivery, bytes.byteLength)))
        await sleep(clock, QUEUE_LIMITS.deliveriesPendingCountMs);
      while (!isOver() && !deliveriesQuota.take(bytes.byteLength))
        await deliveriesQuota.waitFor(bytes.byteLength, isOver);
      if (isOver()) return undefined;
      await appends.add(() => append(delivery, bytes));
      count += 1;
    }
    await appends.completed();
    return isOver() ? undefined : count;
  }

  function* deliveriesOf(record: LogRecord, current: Subscriptions): Generator<Delivery> {
    const commit = decode(record);
    const place = { created: job.stream, sequence: record.sequence };
    for (const delivery of matchRecord(commit, place, current)) {
      yield { ...delivery, owedSince: clock.wallMs(), run: job.id };
    }
  }

  /** Rejects the run at a record that it cannot read: the recovery continues there, also in a newer process. */
  function decode({ data, sequence }: LogRecord): CommitRecord {
    try {
      return decodeCommit(data);
    } catch (error) {
      logger.error({ err: error, sequence }, 'webhooks: a recovery waits at a FACTS record that it cannot read');
      throw error;
    }
  }

  async function append(delivery: Delivery, bytes: Uint8Array): Promise<void> {
    const terms = { log, clock, logger, givenUp: isOver, waitsWhenFull: true };
    await appendUntilAcked(terms, dueSubject(delivery.webhook), bytes, { messageId: messageIdOf(delivery) });
  }

  return queue;
}

const SECOND_MS = 1_000;

/** Returns a function that resolves when the next step may start: at most `perSecond` in each second. */
function createRateLimit(clock: Clock, perSecond: number): () => Promise<void> {
  let steps = 0;
  let secondEndsMs = 0;
  return async () => {
    const nowMs = clock.monotonicMs();
    if (nowMs >= secondEndsMs) {
      steps = 0;
      secondEndsMs = nowMs + SECOND_MS;
    } else if (steps >= perSecond) {
      await sleep(clock, secondEndsMs - nowMs);
      steps = 0;
      secondEndsMs = clock.monotonicMs() + SECOND_MS;
    }
    steps += 1;
  };
}
