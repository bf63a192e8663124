import type { Clock } from '../../../src/kernel/clock.ts';
import type { Ids } from '../../../src/kernel/ids.ts';
import type { Logger } from '../../../src/kernel/logger.ts';
import type { SinkMetrics } from '../../../src/kernel/metrics.ts';
import type { Log } from '../../log.ts';
import { createHttpSender } from './http-sender.ts';
import { type Matcher, createMatcher } from './matcher.ts';
import type { DeliverySender } from './sender.ts';
import { type Worker, createWorker } from './worker.ts';
import type { WebhookConfig } from './webhook-config.ts';

export interface WebhooksOptions {
  log: Log;
  config: WebhookConfig;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  metrics: SinkMetrics;
  /** Delays before the second attempt, the third, …, for the policy `exponential`. */
  retryDelaysMs: readonly number[];
  /** Bounds one attempt, end to end. */
  timeoutMs: number;
  /** Hosts (or `host:port`) that may be private. */
  allowPrivateHosts: readonly string[];
  /** The way to receivers; HTTP when left out. */
  sender?: DeliverySender;
  /** Bytes DELIVERIES may hold before matching waits. */
  deliveriesBytes?: number;
}

export interface Webhooks {
  start(): void;
  /** Resolves once nothing is under way any more, within a bound. */
  stop(): Promise<void>;
}

/** The webhooks sink: matches facts to webhooks (one process at a time), and makes the deliveries (all of them). */
export function createWebhooks(options: WebhooksOptions): Webhooks {
  const { log, config, clock, ids, logger, metrics, retryDelaysMs, timeoutMs, allowPrivateHosts } = options;
  const bound = options.deliveriesBytes === undefined ? {} : { deliveriesBytes: options.deliveriesBytes };
  let matcher: Matcher | undefined;
  let worker: Worker | undefined;
  return {
    start() {
      const sender = options.sender ?? createHttpSender({ clock, allowPrivateHosts });
      matcher ??= createMatcher({ log, config, clock, logger, metrics, holder: ids.uuidv4(), ...bound });
      worker ??= createWorker({ log, config, clock, ids, logger, metrics, sender, retryDelaysMs, timeoutMs });
    },
    async stop() {
      await Promise.all([matcher?.stop(), worker?.stop()]);
    },
  };
}
