import { type Clock, sleep } from '../../../../core/kernel/clock.ts';
import { JETSTREAM_LIMITS } from '../../../log/jetstream/limits.ts';
import { SHARED_LIMITS } from '../../../../core/kernel/limits.ts';
import type { Logger } from '../../../../core/kernel/logger.ts';
import type { ConfigEntry } from '../../../config/config-store.ts';
import { encodeDisablings } from '../../../../core/codec/codec.ts';
import { disablingRecordsSubject } from '../../../subjects.ts';
import type { Log, Stop } from '../../../log/log.ts';
import type { WebhookDisabling } from '../../../../core/vocabulary/records/webhook-disabling.ts';
import type { WebhookConfig } from '../record/webhook-config.ts';

export interface RecordDisablingsOptions {
  log: Pick<Log, 'append'>;
  config: Pick<WebhookConfig, 'list' | 'onChange'>;
  clock: Clock;
  logger: Logger;
  /** Part of the subject. */
  node: string;
}

/**
 * Records every auto-disabled webhook for ClickHouse, including those disabled before this process started: the process
 * that disabled one may have died before recording it. Several processes record the same; the message id and the table
 * remove the duplicates.
 */
export function recordDisablings(options: RecordDisablingsOptions): Stop {
  const { log, config, clock, logger } = options;
  const subject = disablingRecordsSubject(options.node);
  let stopped = false;
  const isStopped = () => stopped;

  function record(entry: ConfigEntry<'webhook'>): void {
    const disabling = disablingOf(entry);
    if (disabling === undefined) return;
    store(disabling).catch((error: unknown) => {
      logger.warn({ err: error, webhook: disabling.webhook }, 'webhooks: recording a disabled webhook failed');
    });
  }

  async function store(disabling: WebhookDisabling): Promise<void> {
    const { game, environment, webhook, disabledAt } = disabling;
    const messageId = `disabled/${game}/${environment}/${webhook}/${disabledAt}`;
    let delayMs: number = JETSTREAM_LIMITS.logRetryMs;
    while (!isStopped()) {
      const outcome = await log.append(subject, encodeDisablings([disabling]), { messageId });
      if (outcome.kind === 'acked') return;
      await sleep(clock, delayMs);
      delayMs = Math.min(2 * delayMs, SHARED_LIMITS.sinkRetryLongestMs);
    }
  }

  for (const entry of config.list('webhook')) record(entry);
  const stopListening = config.onChange(({ entry }) => {
    if (entry?.kind === 'webhook') record(entry);
  });
  return () => {
    stopped = true;
    stopListening();
  };
}

function disablingOf({ game, environment, document }: ConfigEntry<'webhook'>): WebhookDisabling | undefined {
  if (document.disabled === undefined || environment === '_') return undefined;
  const { at: disabledAt, reason } = document.disabled;
  return { webhook: document.id, game, environment, reason, disabledAt };
}
