import { createOwnerMetrics } from '../../actors/runtime/metrics.ts';
import { createProcessMetrics, type ProcessLabels } from '../../core/kernel/metrics/process-metrics.ts';
import { createFactsMetrics } from '../../streams/facts/metrics.ts';
import { createFreshnessMetrics } from '../../streams/freshness/metrics.ts';
import { createClockMetrics } from '../../streams/metrics.ts';
import { createLiveMetrics } from '../../streams/sinks/live/metrics.ts';
import { createApiMetrics } from '../api/metrics.ts';
import { createBackendMetrics } from '../gateway/backend/metrics.ts';
import { createHttpMetrics } from '../gateway/http/metrics.ts';
import { createChangesMetrics } from '../gateway/sse/metrics.ts';
import { createHealthMetrics } from '../health/metrics.ts';
import { createSinkMetrics } from '../process/sink-metrics.ts';
import { createReceiptMetrics } from '../receipts/metrics.ts';
import { createScoringMetrics } from '../scoring/metrics.ts';

/**
 * Every metric of the service; each feature defines its own in its `metrics.ts`: name, unit and meaning.
 * The values of every label are bounded, and none names a tenant (metrics.test.ts).
 */
export function createMetrics(labels: ProcessLabels = {}) {
  const sinks = createSinkMetrics(labels);
  const own = createProcessMetrics(labels);
  own.sinksFrom(() => sinks.registry.metrics());
  const { registers } = own;
  return {
    ...sinks,
    ...own,
    ...createClockMetrics(registers),
    ...createFactsMetrics(registers),
    ...createFreshnessMetrics(registers),
    ...createLiveMetrics(registers),
    ...createOwnerMetrics(registers),
    ...createHealthMetrics(registers),
    ...createHttpMetrics(registers),
    ...createBackendMetrics(registers),
    ...createChangesMetrics(registers),
    ...createApiMetrics(registers),
    ...createScoringMetrics(registers),
    ...createReceiptMetrics(registers),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
