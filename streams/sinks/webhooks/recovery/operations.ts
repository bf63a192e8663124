import { type Clock, within } from '../../../../src/kernel/clock.ts';
import type { Ids } from '../../../../src/kernel/ids.ts';
import { LIMITS } from '../../../../src/kernel/limits.ts';
import { watchErasures } from '../../../erasures.ts';
import type { Log } from '../../../log/log.ts';
import type { WebhookOperations } from '../../../webhook-operations.ts';
import { createHttpSender } from '../delivery/http-sender.ts';
import { beginRecovery, readRecovery } from './recoveries.ts';
import { redeliver } from './redeliver.ts';
import { sendTest } from '../delivery/send-test.ts';
import type { DeliverySender } from '../delivery/sender.ts';

export interface OperationsOptions {
  log: Log;
  clock: Clock;
  ids: Ids;
  /** Bounds the attempt of a test, end to end. */
  timeoutMs: number;
  /** Hosts (or `host:port`) that may be private. */
  allowPrivateHosts: readonly string[];
  /** The way to receivers; HTTP when left out. */
  sender?: DeliverySender;
}

/** What the API may ask of deliveries, for a process that need not run the sink itself: the queue and the documents do the rest. */
export function createWebhookOperations(options: OperationsOptions): WebhookOperations & { close(): void } {
  const { log, clock, ids, timeoutMs, allowPrivateHosts } = options;
  const sender = options.sender ?? createHttpSender({ clock, allowPrivateHosts });
  const erasures = watchErasures(log, clock);

  /** A broker that does not answer in time, or a log that is being closed. */
  async function orUnavailable<T>(asked: Promise<T>): Promise<T | undefined> {
    try {
      return await within(clock, LIMITS.webhookOperationMs, asked);
    } catch (error) {
      if (log.connected) throw error;
      return undefined;
    }
  }

  return {
    async test({ game, environment, document }) {
      if (environment === '_') throw new Error('a webhook belongs to one environment');
      return sendTest({ sender, clock, ids, timeoutMs }, game, environment, document);
    },
    async redeliver(webhook, place, requestId) {
      const asked = await orUnavailable(redeliver({ log, clock, erasures }, webhook, place, requestId));
      return asked ?? { kind: 'unavailable' };
    },
    async recover(webhook, sinceMs) {
      return (await orUnavailable(beginRecovery({ log, clock, ids }, webhook, sinceMs))) ?? { kind: 'unavailable' };
    },
    async recovery({ document }) {
      const asked = await orUnavailable(readRecovery(log, document.id).then((found) => ({ found })));
      return asked === undefined ? 'unavailable' : asked.found;
    },
    close() {
      sender.close();
      erasures.stop();
    },
  };
}
