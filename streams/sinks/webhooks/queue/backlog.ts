import { type Clock, within } from '../../../../core/kernel/clock.ts';
import { JETSTREAM_LIMITS } from '../../../log/jetstream/limits.ts';
import { QUEUE_LIMITS } from './limits.ts';
import type { WebhookMetrics } from '../record/metrics.ts';
import type { Log, Stop } from '../../../log/log.ts';

export interface BacklogOptions {
  log: Pick<Log, 'info'>;
  clock: Clock;
  metrics: WebhookMetrics;
}

/** Sets the metric of queued deliveries every `deliveriesCountMs`, from the broker's count of DELIVERIES. */
export function measureBacklog({ log, clock, metrics }: BacklogOptions): Stop {
  let stopped = false;
  let cancel = clock.timer(0, () => void measure());

  async function measure(): Promise<void> {
    try {
      const bounds = await within(clock, JETSTREAM_LIMITS.logApiMs, log.info('DELIVERIES'));
      if (bounds !== undefined) metrics.deliveriesPending.set(bounds.records);
    } catch {
      // The log is closed: the metric keeps its last value until the process ends.
    }
    if (!stopped) cancel = clock.timer(QUEUE_LIMITS.deliveriesCountMs, () => void measure());
  }

  return () => {
    stopped = true;
    cancel();
  };
}
