import { type Clock, sleep } from '../../../../core/kernel/clock.ts';
import { DELIVERY_LIMITS } from './limits.ts';
import type { Logger } from '../../../../core/kernel/logger.ts';
import type { WebhookMetrics } from '../record/metrics.ts';
import type { WebhookDocument } from '../../../../core/vocabulary/documents/documents.ts';
import { createdRevisionOf } from '../../../config/webhooks/webhook-revision.ts';
import type { Delivery } from '../record/delivery.ts';
import type { WebhookConfig } from '../record/webhook-config.ts';

export interface DisableTerms {
  config: WebhookConfig;
  clock: Clock;
  logger: Logger;
  metrics: WebhookMetrics;
}

type Reason = NonNullable<WebhookDocument['disabled']>['reason'];

const RETRY_MS = 1_000;

/**
 * Disables a webhook by compare-and-set: any process may try, and exactly one succeeds. A webhook that was disabled,
 * deleted or changed since the failed attempt stays as it is.
 *
 * The document stores time and reason in `disabled`; record-disablings.ts records them for ClickHouse. A write to
 * CONFIG that fails is retried `webhookDisableTries` times; after that, the next failed attempt starts again.
 * @param attempted the webhook as it was when the attempt was made
 */
export async function disableWebhook(
  { config, clock, logger, metrics }: DisableTerms,
  { game, environment }: Pick<Delivery, 'game' | 'environment'>,
  attempted: WebhookDocument,
  reason: Reason,
): Promise<void> {
  const address = { game, environment, kind: 'webhook', key: attempted.id } as const;
  for (let tries = 0; tries < DELIVERY_LIMITS.webhookDisableTries; tries++) {
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
