import { type Clock, sleep, within } from '../../../src/kernel/clock.ts';
import { LIMITS } from '../../../src/kernel/limits.ts';
import type { Logger } from '../../../src/kernel/logger.ts';
import { createSignal } from '../../../src/kernel/signal.ts';
import type { SinkMetrics } from '../../../src/kernel/metrics.ts';
import type { CommitRecord } from '../../../actors/facts.ts';
import { decodeCommit } from '../../codec.ts';
import { contend } from '../../lease.ts';
import type { Log, LogRecord, StreamBounds } from '../../log.ts';
import { type SinkPosition, createPositionStore, loadWithBounds, parseSinkPosition } from '../positions.ts';
import { appendUntilAcked } from './append-until-acked.ts';
import { createBoundedTasks } from './bounded-tasks.ts';
import { createDeliveriesRoom } from './deliveries-room.ts';
import { type Delivery, dueSubject, encodeDelivery, messageIdOf } from './delivery.ts';
import { matchRecord } from './matching.ts';
import { noteErasures } from './note-erasures.ts';
import { createOverflowNotes } from './overflow-notes.ts';
import { createSubscriptions } from './subscriptions.ts';
import type { WebhookConfig } from './webhook-config.ts';
import { createWebhookRoom } from './webhook-room.ts';

export interface MatcherOptions {
  log: Log;
  config: WebhookConfig;
  clock: Clock;
  logger: Logger;
  metrics: SinkMetrics;
  /** Who contends for the lease; unique per process incarnation. */
  holder: string;
  /** Bytes DELIVERIES may hold before matching waits. */
  deliveriesBytes?: number;
  /** Retries that may wait for one webhook before what is new is left to a recovery. */
  pendingPerWebhook?: number;
  /** Whether a webhook's receiver took what it got last, as far as this process knows. */
  isWell?: (webhook: string) => boolean;
  /** Told of every delivery that was not queued, as too many wait for its webhook. */
  onOverflow?: (delivery: Delivery) => void;
}

export interface Matcher {
  /** Gives the lease up once what is under way has settled. */
  stop(): Promise<void>;
}

const LEASE_KEY = 'sink.webhooks';
const POSITION_KEY = 'webhooks';
const RETRY_MS = 1_000;
const CONFIG_LOG_MS = 5_000;
const TAKE_RECORDS = 64;

/**
 * Turns facts into deliveries. One process at a time does, by lease; the others stand by.
 *
 * Invariants
 * 1. The position moves past a record only after every delivery of it was acknowledged by the broker. So a crash repeats
 *    appends, which their message id makes harmless, and loses none.
 * 2. A record is matched against definitions at least as fresh as those it was decided under.
 * 3. A webhook gets nothing that was decided before its creation (`createdRevision`).
 * 4. The position moves past an erasure only after it is noted for whoever makes deliveries.
 * 5. One webhook's deliveries never hold up another's: past its bound they are told as overflowed and passed over.
 *
 * Without a stored position it starts at FACTS' first record: no webhook can be older than what it must not see.
 */
export function createMatcher(options: MatcherOptions): Matcher {
  const { log, config, clock, logger, metrics, isWell = () => true } = options;
  const subscriptions = createSubscriptions(config);
  const room = createDeliveriesRoom({
    log,
    clock,
    logger,
    limitBytes: options.deliveriesBytes ?? LIMITS.deliveriesBytes,
  });
  const webhookRoom = createWebhookRoom({
    log,
    clock,
    limitBytes: options.deliveriesBytes ?? LIMITS.deliveriesBytes,
    most: options.pendingPerWebhook ?? LIMITS.deliveriesPendingPerWebhook,
    share: Math.min(options.pendingPerWebhook ?? Infinity, LIMITS.deliveriesPendingShare),
  });
  const overflows = createOverflowNotes(clock, logger);
  const signal = createSignal();
  /** Counts take-overs: a run whose number is no longer the current one stops at its next step. */
  let turn = 0;
  let stopped = false;
  let running: Promise<void> = Promise.resolve();

  const lease = contend({
    bucket: log.bucket('OWNERS'),
    key: LEASE_KEY,
    holder: options.holder,
    clock,
    onAcquired: () => {
      turn += 1;
      const mine = turn;
      running = running.then(() => run(mine));
    },
    onLost: () => {
      turn += 1;
      signal.notify();
    },
  });

  const over = (mine: number): boolean => stopped || mine !== turn;

  async function run(mine: number): Promise<void> {
    while (!over(mine)) {
      try {
        await follow(mine);
      } catch (error) {
        if (!over(mine)) logger.error({ err: error }, 'webhooks: matching failed, starting again from its position');
      }
      if (!over(mine)) await sleep(clock, RETRY_MS);
    }
  }

  /** Matches from the stored position until the turn is over, the position was taken or FACTS was reset. */
  async function follow(mine: number): Promise<void> {
    const positions = createPositionStore(log.bucket('POSITIONS'), POSITION_KEY, parseSinkPosition);
    const { stored, bounds } = await loadWithBounds(positions, log);
    const position = startingPoint(stored, bounds);
    const reader = log.read('FACTS', { from: position.sequence + 1, onWaiting: () => signal.notify() });
    let saved = position.sequence;
    let savedAtMs = clock.monotonicMs();
    let cancelTimer = (): void => {};

    /** False: somebody else moved the position, or the turn is over. */
    async function save(): Promise<boolean> {
      while (!over(mine)) {
        const outcome = await positions.save(position);
        if (outcome === 'saved') {
          saved = position.sequence;
          savedAtMs = clock.monotonicMs();
          return true;
        }
        if (outcome === 'taken') return false;
        await sleep(clock, RETRY_MS);
      }
      return false;
    }

    try {
      while (!over(mine)) {
        const records = reader.take(TAKE_RECORDS, LIMITS.matcherBatchBytes);
        metrics.sinkLag.set({ sink: 'webhooks' }, reader.pending);
        const sent = await deliver(records, position.stream, mine);
        if (sent === 'given_up') return;
        position.sequence = records.at(-1)?.sequence ?? position.sequence;
        const moved = position.sequence > saved;
        if (moved && (sent > 0 || clock.monotonicMs() - savedAtMs >= LIMITS.matcherPositionMs)) {
          if (!(await save())) return;
        }
        if (records.length > 0) continue;
        if (reader.ended === 'reset') return;
        cancelTimer();
        if (position.sequence > saved) cancelTimer = clock.timer(LIMITS.matcherPositionMs, () => signal.notify());
        await signal.wait();
      }
    } finally {
      cancelTimer();
      reader.stop();
      // The lease may still be ours at a stop; if it is not, the compare-and-set fails and nothing happens.
      if (stopped && position.sequence > saved) await positions.save(position);
    }
  }

  function startingPoint(stored: SinkPosition | undefined, bounds: StreamBounds): SinkPosition {
    const first = { stream: bounds.created, sequence: bounds.firstSequence - 1 };
    if (stored === undefined) return first;
    if (stored.stream !== bounds.created) {
      logger.error({ stored, bounds }, 'webhooks: FACTS is another stream now; matching it from its first record');
      return first;
    }
    if (stored.sequence > bounds.lastSequence) {
      logger.error({ stored, bounds }, 'webhooks: FACTS lost records that were matched; going on at its end');
      return { stream: bounds.created, sequence: bounds.lastSequence };
    }
    if (stored.sequence < first.sequence) {
      logger.error({ stored, bounds }, 'webhooks: FACTS was trimmed past the position; records were not matched');
      return first;
    }
    return { ...stored };
  }

  /** Appends what records give rise to; resolves once all is acknowledged, to how many there were. */
  async function deliver(records: readonly LogRecord[], created: string, mine: number): Promise<number | 'given_up'> {
    const appends = createBoundedTasks(LIMITS.matcherAppends);
    let count = 0;
    for (const logRecord of records) {
      const record = read(logRecord);
      if (record === undefined) continue;
      if (!(await isConfigSeen(record.configRevision, mine))) return 'given_up';
      const place = { created, sequence: logRecord.sequence };
      for (const delivery of matchRecord(record, place, subscriptions, isWell)) {
        if (!(await webhookRoom.take(delivery.webhook))) {
          overflow(delivery);
          continue;
        }
        const bytes = encodeDelivery(delivery);
        await room.waitFor(bytes.byteLength, () => over(mine));
        if (over(mine)) return 'given_up';
        count += 1;
        await appends.add(() => append(delivery, bytes, mine));
      }
      const terms = { log, clock, logger, givenUp: () => over(mine) };
      await noteErasures(terms, record, place);
    }
    await appends.settled();
    return over(mine) ? 'given_up' : count;
  }

  function overflow(delivery: Delivery): void {
    metrics.deliveriesOverflowed.inc();
    overflows.note(delivery);
    options.onOverflow?.(delivery);
  }

  async function append(delivery: Delivery, bytes: Uint8Array, mine: number): Promise<void> {
    const terms = { log, clock, logger, givenUp: () => over(mine), waitsWhenFull: true };
    await appendUntilAcked(terms, dueSubject(delivery.webhook), bytes, { messageId: messageIdOf(delivery) });
  }

  function read(record: LogRecord): CommitRecord | undefined {
    try {
      return decodeCommit(record.data);
    } catch (error) {
      logger.error({ err: error, sequence: record.sequence }, 'webhooks: a FACTS record cannot be read; passed over');
      return undefined;
    }
  }

  /**
   * Waits for the definitions a record was decided under. They come within milliseconds; if they never do, CONFIG has lost
   * them, and one record must not stop every webhook for good. False: the turn is over.
   */
  async function isConfigSeen(revision: number, mine: number): Promise<boolean> {
    for (let waitedMs = 0; config.revision < revision && waitedMs < LIMITS.matcherConfigWaitMs;) {
      if (await config.seen(revision, CONFIG_LOG_MS)) break;
      if (over(mine)) return false;
      waitedMs += CONFIG_LOG_MS;
      logger.warn({ revision, seen: config.revision, waitedMs }, 'webhooks: waiting for definitions of a record');
    }
    if (config.revision < revision)
      logger.error({ revision }, 'webhooks: matching without the definitions of a record');
    return !over(mine);
  }

  return {
    async stop() {
      stopped = true;
      signal.notify();
      await within(clock, LIMITS.deliveryStopMs, running);
      subscriptions.stop();
      await lease.release();
    },
  };
}
