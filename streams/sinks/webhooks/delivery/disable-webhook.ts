import { type Clock, sleep } from '../../../../src/kernel/clock.ts';
import { LIMITS } from '../../../../src/kernel/limits.ts';
import type { Logger } from '../../../../src/kernel/logger.ts';
import type { SinkMetrics } from '../../../../src/kernel/metrics.ts';
import type { WebhookDocument } from '../../../../actors/vocabulary/documents.ts';
import { createdRevisionOf } from '../../../config/webhook-revision.ts';
import type { Delivery } from './delivery.ts';
import type { WebhookConfig } from '../webhook-config.ts';

export interface DisableTerms {
  config: WebhookConfig;
  clock: Clock;
  logger: Logger;
  metrics: SinkMetrics;
}

type Reason = NonNullable<WebhookDocument['disabled']>['reason'];

const RETRY_MS = 1_000;

/**
 * Disables a webhook by compare-and-set, so that any process may and one does. Nothing happens when it was disabled, deleted or
 * changed since the attempt that speaks against it: then it is not the same webhook any more.
 *
 * The document is the fact: who disabled it, when and why stands in `disabled`; ClickHouse is told of it from there
 * (tell-of-disablings.ts). A CONFIG that does not answer is tried a few times; the next failure tries again.
 * @param attempted the webhook as it was when the attempt was made
 */
export async function disableWebhook(
  { config, clock, logger, metrics }: DisableTerms,
  { game, environment }: Pick<Delivery, 'game' | 'environment'>,
  attempted: WebhookDocument,
  reason: Reason,
): Promise<void> {
  const address = { game, environment, kind: 'webhook', key: attempted.id } as const;
  for (let tries = 0; tries < LIMITS.webhookDisableTries; tries++) {
    const entry = config.get(address);
    if (entry?.document.enabled !== true || entry.document.version !== attempted.version) return;
    const disabled: WebhookDocument = {
      ...entry.document,
      enabled: false,
      disabled: { at: clock.wallMs(), reason },
      createdRevision: createdRevisionOf(entry),
      version: entry.document.version + 1,
    };
    const write = await config.put(address, disabled, entry.revision);
    if (write.kind === 'written') {
      metrics.webhooksDisabled.inc({ reason });
      logger.warn({ webhook: attempted.id, game, environment, reason }, 'webhooks: a webhook was disabled');
      return;
    }
    await sleep(clock, RETRY_MS);
  }
  logger.warn(
    { webhook: attempted.id, reason },
    'webhooks: a webhook could not be disabled; the next failure tries again',
  );
}
