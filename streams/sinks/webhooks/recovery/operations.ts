import { type Clock, within } from '../../../../core/kernel/clock.ts';
import type { Ids } from '../../../../core/kernel/ids.ts';
import { RECOVERY_LIMITS } from './limits.ts';
import { watchErasures } from '../../../facts/erasures.ts';
import type { Log } from '../../../log/log.ts';
import type { WebhookOperations } from '../../../webhook-operations.ts';
import { createHttpSender } from '../delivery/http/http-sender.ts';
import { beginRecovery, readRecovery } from './recoveries.ts';
import { payloadAt, redeliver } from './redeliver.ts';
import { sendTest } from './send-test.ts';
import type { DeliverySender } from '../delivery/sender.ts';

export interface OperationsOptions {
  log: Log;
  clock: Clock;
  ids: Ids;
  /** Time-out of a test attempt. */
  timeoutMs: number;
  /** Hosts (or `host:port`) that may have private addresses. */
  allowPrivateHosts: readonly string[];
  /** HTTP by default. */
  sender?: DeliverySender;
}

/**
 * The operators' requests about deliveries: tests, redeliveries, recoveries. The process need not run the sink: a
 * redelivery goes through the queue, a recovery through its document.
 */
export function createWebhookOperations(options: OperationsOptions): WebhookOperations & { close(): void } {
  const { log, clock, ids, timeoutMs, allowPrivateHosts } = options;
  const sender = options.sender ?? createHttpSender({ clock, allowPrivateHosts });
  const erasures = watchErasures(log, clock);

  /** `undefined` if the broker does not answer in time, or the log is closed. */
  async function orUnavailable<T>(request: Promise<T>): Promise<T | undefined> {
    try {
      return await within(clock, RECOVERY_LIMITS.webhookOperationMs, request);
    } catch (error) {
      if (log.connected) throw error;
      return undefined;
    }
  }

  return {
    async test({ game, environment, document }, sample) {
      if (environment === '_') throw new Error('a webhook belongs to one environment');
      return sendTest({ sender, clock, ids, timeoutMs }, game, environment, document, sample);
    },
    async redeliver(webhook, place, requestId) {
      const result = await orUnavailable(redeliver({ log, clock, erasures }, webhook, place, requestId));
      return result ?? { kind: 'unavailable' };
    },
    async payload(webhook, place) {
      return (await orUnavailable(payloadAt({ log, erasures }, webhook, place))) ?? { kind: 'unavailable' };
    },
    async recover(webhook, sinceMs) {
      return (await orUnavailable(beginRecovery({ log, clock, ids }, webhook, sinceMs))) ?? { kind: 'unavailable' };
    },
    async recovery({ document }) {
      const result = await orUnavailable(readRecovery(log, document.id).then((found) => ({ found })));
      return result === undefined ? 'unavailable' : result.found;
    },
    close() {
      sender.close();
      erasures.stop();
    },
  };
}
