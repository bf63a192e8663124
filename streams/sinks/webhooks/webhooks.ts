import { leaseHolder } from '../../leases/lease-holder.ts';
import { type Clock, within } from '../../../core/kernel/clock.ts';
import type { Ids } from '../../../core/kernel/ids.ts';
import { FACTS_LIMITS } from '../../facts/limits.ts';
import { WEBHOOK_SINK_LIMITS } from './limits.ts';
import type { Logger } from '../../../core/kernel/logger.ts';
import type { SinkLagMetrics } from '../../metrics.ts';
import type { WebhookMetrics } from './record/metrics.ts';
import { watchErasures, type Erasures } from '../../facts/erasures.ts';
import type { TracedEvents } from '../../freshness/traced-events.ts';
import type { Log, Stop } from '../../log/log.ts';
import type { OpenReader } from '../../log/shared-reader.ts';
import { watchFactsRoom } from '../../facts/facts-room.ts';
import { createAttemptLog, type AttemptLog } from './delivery/attempt-log.ts';
import { measureBacklog } from './queue/backlog.ts';
import { createHttpSender } from './delivery/http/http-sender.ts';
import { type Matcher, createMatcher } from './matching/matcher.ts';
import type { DeliverySender } from './delivery/sender.ts';
import { createRecoverer, type Recoverer } from './recovery/recoverer.ts';
import { recordDisablings } from './delivery/record-disablings.ts';
import { type Worker, createWorker } from './delivery/worker.ts';
import type { WebhookConfig } from './record/webhook-config.ts';

export interface WebhooksOptions {
  log: Log;
  /** As in `MatcherOptions`. */
  readFacts?: OpenReader;
  config: WebhookConfig;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  metrics: WebhookMetrics & SinkLagMetrics;
  /** Part of the subjects in RECORDS. */
  node: string;
  /** Delays before the second attempt, the third, …, for the policy `exponential`. */
  retryDelaysMs: readonly number[];
  /** Time-out of one attempt. */
  timeoutMs: number;
  /** Hosts (or `host:port`) that may have private addresses. */
  allowPrivateHosts: readonly string[];
  /** Measures how fresh deliveries are. */
  traced?: TracedEvents;
  /** HTTP by default. */
  sender?: DeliverySender;
  /** Bytes DELIVERIES may hold before matching waits. */
  deliveriesBytes?: number;
  /** The broker hands a delivery to another process after this long without a heartbeat. */
  ackWaitMs?: number;
  /** Retries that may wait for one webhook before new deliveries overflow. */
  pendingPerWebhook?: number;
}

/** Part of the stop time that is reserved for writing the attempt log. */
const LOG_STOP_MS = 1_000;

export interface Webhooks {
  start(): void;
  /** Resolves once all parts have stopped, within a bound. */
  stop(): Promise<void>;
}

/**
 * The webhooks sink: FACTS → matcher → DELIVERIES → worker → receivers, and from the worker the attempt log. The
 * matcher and the recoverer run in one process at a time, the workers in all of them.
 */
export function createWebhooks(options: WebhooksOptions): Webhooks {
  const { log, config, clock, ids, logger, metrics, node, retryDelaysMs, timeoutMs, allowPrivateHosts } = options;
  const { deliveriesBytes, pendingPerWebhook, ackWaitMs = WEBHOOK_SINK_LIMITS.deliveryAckWaitMs } = options;
  let parts:
    | { first: readonly (Matcher | Worker | Recoverer)[]; attempts: AttemptLog; last: readonly Stop[] }
    | undefined;

  function startParts(): NonNullable<typeof parts> {
    // The name of the node tells operators who runs the matcher.
    const holder = leaseHolder(node, ids.uuidv4());
    const sender = options.sender ?? createHttpSender({ clock, allowPrivateHosts });
    const shared = { log, config, clock, logger, metrics };
    const erasures: Erasures = watchErasures(log, clock);
    const attempts = createAttemptLog({ ...shared, node, writer: `${holder}/attempts`, erasures });
    const delivering = { sender, erasures, attempts, traced: options.traced };
    const worker = createWorker({ ...shared, ...delivering, ids, retryDelaysMs, timeoutMs, ackWaitMs });
    const room = watchFactsRoom({
      ...shared,
      limits: { ...FACTS_LIMITS, factsPollMs: WEBHOOK_SINK_LIMITS.matcherRoomMs },
    });
    const { readFacts } = options;
    const matcher = createMatcher({
      ...shared,
      ...(readFacts === undefined ? {} : { readFacts }),
      room,
      holder,
      isHealthy: (webhook) => worker.isHealthy(webhook),
      ...(deliveriesBytes === undefined ? {} : { deliveriesBytes }),
      ...(pendingPerWebhook === undefined ? {} : { pendingPerWebhook }),
      onOverflow: (delivery) =>
        attempts.notAttempted(delivery, 'overflowed', 'too many deliveries wait for the webhook'),
    });
    const recoverer = createRecoverer({ ...shared, erasures, holder });
    const stopRecording = recordDisablings({ ...shared, node });
    return {
      first: [matcher, worker, recoverer],
      attempts,
      last: [stopRecording, measureBacklog(shared), () => erasures.stop(), () => room.stop()],
    };
  }

  return {
    start() {
      parts ??= startParts();
    },
    async stop() {
      if (parts === undefined) return;
      await Promise.all(parts.first.map((part) => part.stop()));
      await within(clock, LOG_STOP_MS, parts.attempts.close());
      for (const stop of parts.last) stop();
    },
  };
}
