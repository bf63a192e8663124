import { type Clock, sleep, within } from '../../../../core/kernel/clock.ts';
import type { Adjustable } from '../../../../core/kernel/adjustable.ts';
import { MATCHING_LIMITS } from './limits.ts';
import { QUEUE_LIMITS } from '../queue/limits.ts';
import { SHARED_LIMITS } from '../../../../core/kernel/limits.ts';
import type { Logger } from '../../../../core/kernel/logger.ts';
import { createSignal } from '../../../../core/kernel/flow/signal.ts';
import type { SinkLagMetrics } from '../../../metrics.ts';
import type { WebhookMetrics } from '../record/metrics.ts';
import { contend } from '../../../leases/lease.ts';
import type { FactsRoom } from '../../../facts/facts-room.ts';
import type { Log, StreamBounds } from '../../../log/log.ts';
import type { OpenReader } from '../../../log/shared-reader.ts';
import { loadWithBounds, storedPosition } from '../../../positions/positions.ts';
import { sinkLeaseKey } from '../../../positions/sink-registry.ts';
import { createDeliveriesQuota } from '../queue/deliveries-quota.ts';
import type { Delivery } from '../record/delivery.ts';
import { matchFacts } from './facts/match-facts.ts';
import { type MatcherPosition, matcherPosition, parseMatcherPosition, WEBHOOKS_SINK } from './matcher-position.ts';
import { createSubscriptions } from './subscriptions.ts';
import { UnknownVersionError } from '../../../../core/codec/unknown-version.ts';
import type { WebhookConfig } from '../record/webhook-config.ts';
import { createWebhookQuota } from '../queue/webhook-quota.ts';

export interface MatcherOptions {
  log: Log;
  /** Opens the common reader of FACTS; by default one of its own. */
  readFacts?: OpenReader;
  config: WebhookConfig;
  clock: Clock;
  logger: Logger;
  metrics: WebhookMetrics & SinkLagMetrics;
  /** Name of this process for the lease; unique per process incarnation. */
  holder: string;
  /** Bytes DELIVERIES may hold before matching waits. */
  deliveriesBytes?: number;
  /** Retries that may wait for one webhook before new deliveries overflow. */
  pendingPerWebhook?: number;
  /** Whether a webhook's receiver is healthy, as far as this process knows. */
  isHealthy?: (webhook: string) => boolean;
  /** Called with every delivery that was not queued because too many wait for its webhook or game. */
  onOverflow?: (delivery: Delivery) => void;
  limits?: Adjustable<typeof MATCHING_LIMITS, 'matcherPositionMs'>;
  /** How much room FACTS has; without it, games may lag whatever its size. */
  room?: Pick<FactsRoom, 'wantedBelow'>;
}

export interface Matcher {
  /** Releases the lease once the run has ended. */
  stop(): Promise<void>;
}

const RETRY_MS = 1_000;
const CONFIG_LOG_MS = 5_000;

/**
 * Owns the lease of matching: one process at a time makes deliveries of FACTS (match-facts.ts), the others stand by.
 *
 * States: standing by; running, which starts again from the stored position after a failure; stopped.
 *
 * Invariants
 * 1. A record is matched against definitions at least as new as those it was decided under.
 * 2. A webhook gets no record that was decided before its creation (`createdRevision`).
 *
 * Without a stored position, matching starts at the first record of FACTS; invariant 2 keeps older records from
 * webhooks.
 */
export function createMatcher(options: MatcherOptions): Matcher {
  const { log, config, clock, logger, metrics, isHealthy = () => true } = options;
  const subscriptions = createSubscriptions(config);
  const deliveriesQuota = createDeliveriesQuota({
    log,
    clock,
    logger,
    limitBytes: options.deliveriesBytes ?? MATCHING_LIMITS.deliveriesBytes,
  });
  const webhookQuota = createWebhookQuota({
    log,
    clock,
    limitBytes: options.deliveriesBytes ?? MATCHING_LIMITS.deliveriesBytes,
    most: options.pendingPerWebhook ?? MATCHING_LIMITS.deliveriesPendingPerWebhook,
    share: Math.min(options.pendingPerWebhook ?? Infinity, MATCHING_LIMITS.deliveriesPendingShare),
  });
  const logOverflow = createOverflowLog(clock, logger);
  const signal = createSignal();
  /** Counts the lease's changes: a run with an older number stops at its next step. */
  let leaseCount = 0;
  let stopped = false;
  /** Until then this process leaves the lease to others, because it cannot read a record. */
  let yieldUntilMs = 0;
  let running: Promise<void> = Promise.resolve();

  const lease = contend({
    bucket: log.bucket('OWNERS'),
    key: sinkLeaseKey(WEBHOOKS_SINK),
    holder: options.holder,
    clock,
    // A process of a newer version may take it meanwhile.
    wanted: () => clock.monotonicMs() >= yieldUntilMs,
    onAcquired: () => {
      leaseCount += 1;
      const mine = leaseCount;
      running = running.then(() => run(mine));
    },
    onLost: () => {
      leaseCount += 1;
      signal.notify();
    },
  });

  const isOver = (mine: number): boolean => stopped || mine !== leaseCount;

  async function run(mine: number): Promise<void> {
    while (!isOver(mine)) {
      try {
        await follow(mine);
      } catch (error) {
        if (!isOver(mine)) logger.error({ err: error }, 'webhooks: matching failed; it starts again from its position');
        if (error instanceof UnknownVersionError) yieldUntilMs = clock.monotonicMs() + SHARED_LIMITS.unreadableYieldMs;
      }
      if (!isOver(mine)) await sleep(clock, RETRY_MS);
    }
  }

  /** Matches from the stored position until the lease is lost, the position was moved, or FACTS was reset. */
  async function follow(mine: number): Promise<void> {
    const positions = storedPosition(log, WEBHOOKS_SINK, parseMatcherPosition);
    const { stored, bounds } = await loadWithBounds(positions, log);
    await matchFacts({
      limits: options.limits,
      log,
      readFacts: options.readFacts ?? ((terms) => log.read('FACTS', terms)),
      clock,
      logger,
      metrics,
      subscriptions,
      webhookQuota,
      deliveriesQuota,
      positions,
      isHealthy,
      signal,
      wantedBelow: () => options.room?.wantedBelow ?? 0,
      from: startingPoint(stored, bounds, logger),
      onOverflow: overflow,
      isConfigSeen: (revision) => isConfigSeen(revision, mine),
      isOver: () => isOver(mine),
      isStopping: () => stopped,
    });
  }

  function overflow(delivery: Delivery): void {
    metrics.deliveriesOverflowed.inc();
    logOverflow(delivery);
    options.onOverflow?.(delivery);
  }

  /**
   * Waits for the definitions a record was decided under. They normally arrive within milliseconds. If CONFIG has lost
   * them, matching continues without them: one record must not stop all webhooks. False: the run is over.
   */
  async function isConfigSeen(revision: number, mine: number): Promise<boolean> {
    for (let waitedMs = 0; config.revision < revision && waitedMs < MATCHING_LIMITS.matcherConfigWaitMs;) {
      if (await config.seen(revision, CONFIG_LOG_MS)) break;
      if (isOver(mine)) return false;
      waitedMs += CONFIG_LOG_MS;
      logger.warn({ revision, seen: config.revision, waitedMs }, 'webhooks: waiting for the definitions of a record');
    }
    if (config.revision < revision)
      logger.error({ revision }, 'webhooks: matching without the definitions of a record');
    return !isOver(mine);
  }

  return {
    async stop() {
      stopped = true;
      signal.notify();
      await within(clock, SHARED_LIMITS.deliveryStopMs, running);
      subscriptions.stop();
      await lease.release();
    },
  };
}

/** The stored position, corrected when FACTS does not hold it. */
function startingPoint(stored: MatcherPosition | undefined, bounds: StreamBounds, logger: Logger): MatcherPosition {
  const first = { stream: bounds.created, sequence: bounds.firstSequence - 1 };
  if (stored === undefined) return first;
  if (stored.stream !== bounds.created) {
    logger.error({ stored, bounds }, 'webhooks: FACTS was created again; matching starts at its first record');
    return first;
  }
  const { reach = stored.sequence, games = [] } = stored;
  if (reach > bounds.lastSequence) {
    logger.error({ stored, bounds }, 'webhooks: FACTS lost records that were matched; matching continues at its end');
    return { stream: bounds.created, sequence: bounds.lastSequence };
  }
  if (stored.sequence >= first.sequence) return stored;
  logger.error({ stored, bounds }, 'webhooks: FACTS was trimmed past the position; some records were never matched');
  const held = games.map((mark) => ({ ...mark, sequence: Math.max(mark.sequence, first.sequence) }));
  return matcherPosition(bounds.created, Math.max(reach, first.sequence), held);
}

const OVERFLOW_LINE_MS = 60_000;

/** Logs which webhooks overflow, at most one line a minute for each: a webhook may overflow thousands of times. */
function createOverflowLog(clock: Clock, logger: Logger): (delivery: Delivery) => void {
  const webhooks = new Map<string, { nextLineMs: number; overflowed: number }>();
  return ({ webhook, owedSince }) => {
    const nowMs = clock.monotonicMs();
    const known = webhooks.get(webhook) ?? { nextLineMs: nowMs, overflowed: 0 };
    known.overflowed += 1;
    if (webhooks.size >= QUEUE_LIMITS.webhooksInMemory) webhooks.clear();
    webhooks.set(webhook, known);
    if (nowMs < known.nextLineMs) return;
    logger.error(
      { webhook, overflowed: known.overflowed, since: new Date(owedSince).toISOString() },
      'webhooks: too many deliveries wait for a webhook; new ones need a recovery',
    );
    webhooks.set(webhook, { nextLineMs: nowMs + OVERFLOW_LINE_MS, overflowed: 0 });
  };
}
