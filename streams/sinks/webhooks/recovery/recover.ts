import { type Clock, sleep } from '../../../../src/kernel/clock.ts';
import { LIMITS } from '../../../../src/kernel/limits.ts';
import type { Logger } from '../../../../src/kernel/logger.ts';
import { createSignal } from '../../../../src/kernel/signal.ts';
import type { ConfigEntry } from '../../../config/config-store.ts';
import { decodeCommit } from '../../../codec.ts';
import type { Erasures } from '../../../erasures.ts';
import type { Log, LogRecord } from '../../../log/log.ts';
import type { StoredValue } from '../../../stored-value.ts';
import { appendUntilAcked } from '../queue/append-until-acked.ts';
import { createBoundedTasks } from './bounded-tasks.ts';
import { createDeliveriesQuota } from '../queue/deliveries-quota.ts';
import { type Delivery, dueSubject, encodeDelivery, messageIdOf } from '../delivery/delivery.ts';
import { matchRecord } from '../matching/match-record.ts';
import { createPace } from '../queue/pace.ts';
import type { RecoveryJob } from './recoveries.ts';
import { createSubscriptions, type Subscriptions } from '../matching/subscriptions.ts';
import type { WebhookConfig } from '../webhook-config.ts';
import { createWebhookQuota } from '../queue/webhook-quota.ts';
import type { CommitRecord } from '../../../../actors/vocabulary/commit-record.ts';

export interface RecoverOptions {
  log: Log;
  config: WebhookConfig;
  clock: Clock;
  logger: Logger;
  erasures: Erasures;
  /** Where the job's document is. */
  store: StoredValue<RecoveryJob>;
  /** Somebody else works on it from now on, or nobody. */
  isOver: () => boolean;
}

const CONFIG_WAIT_MS = 5_000;
const LOOK_AGAIN_MS = 250;
const TAKE_RECORDS = 64;

/**
 * Takes one recovery from where its document says to its end: reads FACTS, matches for this webhook as the matcher does, and queues
 * what it wants under the ids it had, with attempts of their own. It yields to what happens now: a number of deliveries a second,
 * and none while many wait for the webhook.
 *
 * The document moves past a record only after every delivery of it is stored. So a crash queues some again, under the same ids.
 * It ends some seconds past its request, by when every process matches by the definitions of then: there is no hole at the seam.
 */
export async function recover(options: RecoverOptions): Promise<void> {
  const { log, config, clock, logger, erasures, store, isOver } = options;
  const stored = await store.load();
  if (stored?.state !== 'running') return;
  let job = stored;
  let savedAtMs = clock.monotonicMs();
  const untilMs = job.startedAt + LIMITS.recoverySeamMs;
  const address = { game: job.game, environment: job.environment, kind: 'webhook', key: job.webhook } as const;
  const deliveriesQuota = createDeliveriesQuota({ log, clock, logger, limitBytes: LIMITS.deliveriesBytes });
  // Half of what may wait: the rest is for what happens now.
  const webhookQuota = createWebhookQuota({
    log,
    clock,
    limitBytes: LIMITS.deliveriesBytes,
    most: LIMITS.deliveriesPendingPerWebhook / 2,
    share: LIMITS.deliveriesPendingShare / 2,
  });
  const pace = createPace(clock, LIMITS.recoveryPerSecond);
  const signal = createSignal();
  let matching: { entry: ConfigEntry<'webhook'>; subscriptions: Subscriptions } | undefined;

  async function save(next: RecoveryJob): Promise<boolean> {
    job = next;
    savedAtMs = clock.monotonicMs();
    while (!isOver()) {
      const outcome = await store.save(next);
      if (outcome !== 'unknown') return outcome === 'saved';
      await sleep(clock, LOOK_AGAIN_MS);
    }
    return false;
  }

  const end = (state: 'done' | 'stopped') => save({ ...job, state, finishedAt: clock.wallMs() });

  /** By the webhook as it is now; `undefined`: it takes nothing any more. */
  function subscriptions(): Subscriptions | undefined {
    const entry = config.get(address);
    if (entry?.document.enabled !== true) return undefined;
    if (matching?.entry.revision !== entry.revision) {
      matching = { entry, subscriptions: createSubscriptions({ list: () => [entry], onChange: () => () => {} }) };
    }
    return matching.subscriptions;
  }

  /** Queues what the webhook wants of one record; `undefined`: it takes nothing any more, or this is over. */
  async function queue(record: LogRecord): Promise<number | undefined> {
    const wanted = subscriptions();
    if (wanted === undefined) return undefined;
    const appends = createBoundedTasks(LIMITS.matcherAppends);
    let count = 0;
    for (const delivery of deliveriesOf(record, wanted)) {
      if (erasures.covers(delivery.player, delivery.place)) continue;
      await pace.step();
      const bytes = encodeDelivery(delivery);
      while (!isOver() && !(await webhookQuota.take(delivery, bytes.byteLength)))
        await sleep(clock, LIMITS.deliveriesPendingCountMs);
      while (!isOver() && !deliveriesQuota.take(bytes.byteLength))
        await deliveriesQuota.waitFor(bytes.byteLength, isOver);
      if (isOver()) return undefined;
      await appends.add(() => append(delivery, bytes));
      count += 1;
    }
    await appends.settled();
    return isOver() ? undefined : count;
  }

  function* deliveriesOf(record: LogRecord, wanted: Subscriptions): Generator<Delivery> {
    const commit = read(record);
    if (commit === undefined) return;
    const place = { created: job.stream, sequence: record.sequence };
    for (const delivery of matchRecord(commit, place, wanted)) {
      yield { ...delivery, owedSince: clock.wallMs(), run: job.id };
    }
  }

  function read({ data, sequence }: LogRecord): CommitRecord | undefined {
    try {
      return decodeCommit(data);
    } catch (error) {
      logger.error({ err: error, sequence }, 'webhooks: a FACTS record cannot be read; a recovery passes over it');
      return undefined;
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
  const reader = log.read('FACTS', { from, onWaiting: () => signal.notify() });
  try {
    await reader.started;
    while (!isOver()) {
      const records = reader.take(TAKE_RECORDS, LIMITS.matcherBatchBytes);
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
        const isDue = clock.monotonicMs() - savedAtMs >= LIMITS.recoveryProgressMs;
        if (isDue && !(await save(job))) return;
      }
      if (reader.ended !== undefined) {
        await end('stopped');
        return;
      }
      if (records.length === 0 && reader.pending === 0 && clock.wallMs() > untilMs) {
        await end('done');
        return;
      }
      // Others have their turn between two batches.
      if (records.length > 0) await sleep(clock, 0);
      else await signal.wait(clock, LOOK_AGAIN_MS);
    }
  } finally {
    reader.stop();
  }
}
