import { Registry } from 'prom-client';
import type { Clock } from '../../core/kernel/clock.ts';
import type { ProcessLabels } from '../../core/kernel/metrics/process-metrics.ts';
import { collectSinksThread } from '../../core/kernel/metrics/thread-metrics.ts';
import { createSinkFreshnessMetrics } from '../../streams/freshness/metrics.ts';
import { createSinkLagMetrics } from '../../streams/metrics.ts';
import { createClickhouseMetrics } from '../../streams/sinks/clickhouse/metrics.ts';
import { createWebhookMetrics } from '../../streams/sinks/webhooks/record/metrics.ts';

/** The metrics of the sinks. Sinks run in a separate thread, so these have a separate registry. */
export function createSinkMetrics(labels: ProcessLabels = {}) {
  const registry = new Registry();
  registry.setDefaultLabels(labels);
  const registers = [registry];
  return {
    registry,
    ...createSinkFreshnessMetrics(registers),
    ...createSinkLagMetrics(registers),
    ...createClickhouseMetrics(registers),
    ...createWebhookMetrics(registers),
    /** Adds the metrics of the sinks' thread; called once, in that thread. */
    collectThread: (clock: Clock): void => collectSinksThread(clock, registers),
  };
}
