import { type Clock, sleep } from '../../../../core/kernel/clock.ts';
import { MATCHING_LIMITS } from '../matching/limits.ts';
import { QUEUE_LIMITS } from '../queue/limits.ts';
import { RECOVERY_LIMITS } from './limits.ts';
import type { Logger } from '../../../../core/kernel/logger.ts';
import { createSignal } from '../../../../core/kernel/flow/signal.ts';
import type { ConfigEntry } from '../../../config/config-store.ts';
import { decodeCommit } from '../../../../core/codec/codec.ts';
import type { Erasures } from '../../../facts/erasures.ts';
import type { Log, LogRecord } from '../../../log/log.ts';
import type { StoredValue } from '../../../stored-value.ts';
import { appendUntilAcked } from '../queue/append-until-acked.ts';
import { createBoundedTasks } from './bounded-tasks.ts';
import { createDeliveriesQuota } from '../queue/deliveries-quota.ts';
import { type Delivery, dueSubject, messageIdOf } from '../record/delivery.ts';
import { encodeDelivery } from '../record/delivery-record.ts';
import { matchRecord } from '../matching/facts/match-record.ts';
import { storedAt, type RecoveryJob } from './recoveries.ts';
import { createSubscriptions, type Subscriptions } from '../matching/subscriptions.ts';
import type { WebhookConfig } from '../record/webhook-config.ts';
import { createWebhookQuota } from '../queue/webhook-quota.ts';
import type { CommitRecord } from '../../../../core/vocabulary/facts/commit-record.ts';

export interface RecoverOptions {
  log: Log;
  config: WebhookConfig;
  clock: Clock;
  logger: Logger;
  erasures: Erasures;
  /** The job's document. */
  store: StoredValue<RecoveryJob>;
  /** Whether this process must stop working on the job. */
  isOver: () => boolean;
}

const CONFIG_WAIT_MS = 5_000;
const RETRY_MS = 250;
const TAKE_RECORDS = 64;

/**
 * Runs one recovery from the position in its document to its end: reads FACTS, matches the records for this webhook,
 * and queues the deliveries under the ids they always have, with attempts from 1.
 *
 * Invariants
 * 1. The document moves past a record only after all of its deliveries are stored. So a crash queues some of them
 *    again, under the same ids, and loses none.
 * 2. It queues at most `recoveryPerSecond` deliveries a second, and uses at most half of the webhook's quota:
 *    new deliveries come first.
 * 3. It reads facts until `recoverySeamMs` after its request: by then every process matches with the
 *    definitions of the request, so no fact is missed between recovery and matcher.
 */
export async function recover(options: RecoverOptions): Promise<void> {
  const { log, config, clock, logger, erasures, store, isOver } = options;
  const stored = await store.load();
  if (stored?.state !== 'running') return;
  let job = stored;
  let savedAtMs = clock.monotonicMs();
  const untilMs = job.startedAt + RECOVERY_LIMITS.recoverySeamMs;
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
  const signal = createSignal();
  let matching: { entry: ConfigEntry<'webhook'>; subscriptions: Subscriptions } | undefined;

  async function save(next: RecoveryJob): Promise<boolean> {
    job = next;
    savedAtMs = clock.monotonicMs();
    while (!isOver()) {
      const outcome = await store.save(next);
      if (outcome !== 'unknown') return outcome === 'saved';
      await sleep(clock, RETRY_MS);
    }
    return false;
  }

  const end = (state: 'done' | 'stopped') => save({ ...job, state, finishedAt: clock.wallMs() });

  /** The webhook's current definition, compiled; `undefined` if it is disabled or deleted. */
  function subscriptions(): Subscriptions | undefined {
    const entry = config.get(address);
    if (entry?.document.enabled !== true) return undefined;
    if (matching?.entry.revision !== entry.revision) {
      matching = { entry, subscriptions: createSubscriptions({ list: () => [entry], onChange: () => () => {} }) };
    }
    return matching.subscriptions;
  }

  /**
   * Queues the deliveries of one record and returns their number; `undefined`: the webhook is disabled, or this is
   * over.
   */
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

  await erasures.ready;
  while (!isOver() && !(await config.seen(job.revision, CONFIG_WAIT_MS)));
  const { created, firstSequence } = await log.info('FACTS');
  if (created !== job.stream) {
    await end('stopped');
    return;
  }
  const from = Math.max(job.position + 1, firstSequence);
  // Records that the recovery had still to read were trimmed: it continues behind them and says so.
  if (from > job.position + 1) job = { ...job, availableSince: await storedAt(log, from) };
  const reader = log.read('FACTS', { from, onWaiting: () => signal.notify() });
  try {
    await reader.started;
    while (!isOver()) {
      const records = reader.take(TAKE_RECORDS, MATCHING_LIMITS.matcherBatchBytes);
      for (const record of records) {
        if (record.storedAtMs > untilMs) {
          await end('done');
          return;
        }
        const count = await queue(record);
        if (count === undefined) {
          if (!isOver()) await end('stopped');
          return;
        }
        job = { ...job, position: record.sequence, scanned: job.scanned + 1, queued: job.queued + count };
        const isDue = clock.monotonicMs() - savedAtMs >= RECOVERY_LIMITS.recoveryProgressMs;
        if (isDue && !(await save(job))) return;
      }
      if (reader.ended !== undefined) {
        // FACTS was created anew, or trimmed past the position: start again from the stored job.
        if (await save(job)) await recover(options);
        return;
      }
      if (records.length === 0 && reader.pending === 0 && clock.wallMs() > untilMs) {
        await end('done');
        return;
      }
      // Other work gets the event loop between two batches.
      if (records.length > 0) await sleep(clock, 0);
      else await signal.wait(clock, RETRY_MS);
    }
  } finally {
    reader.stop();
  }
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
