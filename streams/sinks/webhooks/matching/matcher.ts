import { type Clock, sleep, within } from '../../../../src/kernel/clock.ts';
import { LIMITS, type Limits } from '../../../../src/kernel/limits.ts';
import type { Logger } from '../../../../src/kernel/logger.ts';
import { createSignal } from '../../../../src/kernel/signal.ts';
import type { SinkMetrics } from '../../../../src/kernel/metrics.ts';
import { contend } from '../../../lease.ts';
import type { Log, StreamBounds } from '../../../log/log.ts';
import { loadWithBounds, storedPosition } from '../../positions.ts';
import { sinkLeaseKey } from '../../sink-registry.ts';
import { createDeliveriesQuota } from '../queue/deliveries-quota.ts';
import type { Delivery } from '../delivery/delivery.ts';
import { matchFacts } from './match-facts.ts';
import { type MatcherPosition, matcherPosition, parseMatcherPosition, WEBHOOKS_SINK } from './matcher-position.ts';
import { createOverflowNotes } from '../queue/overflow-notes.ts';
import { createSubscriptions } from './subscriptions.ts';
import type { WebhookConfig } from '../webhook-config.ts';
import { createWebhookQuota } from '../queue/webhook-quota.ts';

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
  isHealthy?: (webhook: string) => boolean;
  /** Told of every delivery that was not queued, as too many wait for its webhook. */
  onOverflow?: (delivery: Delivery) => void;
  limits?: Pick<Limits, 'matcherPositionMs'>;
}

export interface Matcher {
  /** Gives the lease up once what is under way has settled. */
  stop(): Promise<void>;
}

const RETRY_MS = 1_000;
const CONFIG_LOG_MS = 5_000;

/**
 * Turns facts into deliveries (match-facts.ts). One process at a time does, by lease; the others stand by.
 *
 * Invariants
 * 1. A record is matched against definitions at least as fresh as those it was decided under.
 * 2. A webhook gets nothing that was decided before its creation (`createdRevision`).
 *
 * Without a stored position it starts at FACTS' first record: no webhook can be older than what it must not see.
 */
export function createMatcher(options: MatcherOptions): Matcher {
  const { log, config, clock, logger, metrics, isHealthy = () => true } = options;
  const subscriptions = createSubscriptions(config);
  const deliveriesQuota = createDeliveriesQuota({
    log,
    clock,
    logger,
    limitBytes: options.deliveriesBytes ?? LIMITS.deliveriesBytes,
  });
  const webhookQuota = createWebhookQuota({
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
    key: sinkLeaseKey(WEBHOOKS_SINK),
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
    const positions = storedPosition(log, WEBHOOKS_SINK, parseMatcherPosition);
    const { stored, bounds } = await loadWithBounds(positions, log);
    await matchFacts({
      limits: options.limits,
      log,
      clock,
      logger,
      metrics,
      subscriptions,
      webhookQuota,
      deliveriesQuota,
      positions,
      isHealthy,
      signal,
      from: startingPoint(stored, bounds),
      onOverflow: overflow,
      isConfigSeen: (revision) => isConfigSeen(revision, mine),
      isOver: () => over(mine),
      isStopping: () => stopped,
    });
  }

  function startingPoint(stored: MatcherPosition | undefined, bounds: StreamBounds): MatcherPosition {
    const first = { stream: bounds.created, sequence: bounds.firstSequence - 1 };
    if (stored === undefined) return first;
    if (stored.stream !== bounds.created) {
      logger.error({ stored, bounds }, 'webhooks: FACTS is another stream now; matching it from its first record');
      return first;
    }
    const { reach = stored.sequence, games = [] } = stored;
    if (reach > bounds.lastSequence) {
      logger.error({ stored, bounds }, 'webhooks: FACTS lost records that were matched; going on at its end');
      return { stream: bounds.created, sequence: bounds.lastSequence };
    }
    if (stored.sequence >= first.sequence) return stored;
    logger.error({ stored, bounds }, 'webhooks: FACTS was trimmed past the position; records were not matched');
    const held = games.map((mark) => ({ ...mark, sequence: Math.max(mark.sequence, first.sequence) }));
    return matcherPosition(bounds.created, Math.max(reach, first.sequence), held);
  }

  function overflow(delivery: Delivery): void {
    metrics.deliveriesOverflowed.inc();
    overflows.note(delivery);
    options.onOverflow?.(delivery);
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
