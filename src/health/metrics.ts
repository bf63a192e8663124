import { Counter, Gauge, type Registry } from 'prom-client';
import { fromZero, labelled } from '../../core/kernel/metrics/counter-from-zero.ts';
import { createReadinessMetric } from './readiness-metric.ts';

/** The disk, owners that do not answer, and checks behind `/readyz`. */
export function createHealthMetrics(registers: Registry[]) {
  return {
    ...createReadinessMetric(registers),
    partitionsWithoutOwner: new Gauge({
      name: 'gateway_partitions_without_owner',
      help: 'Partitions whose owner does not answer reads of this process.',
      registers,
    }),
    diskFreeBytes: new Gauge({
      name: 'disk_free_bytes',
      help: 'Free bytes of the file system that holds DATA_DIR.',
      registers,
    }),
    diskSizeBytes: new Gauge({
      name: 'disk_size_bytes',
      help: 'Size of the file system that holds DATA_DIR.',
      registers,
    }),
    writesRefused: fromZero(
      labelled('reason', ['disk', 'log']),
      new Counter({
        name: 'gateway_writes_refused_total',
        help:
          'Writes answered 503 before they reached the log, by reason: disk (almost full), log (its storage does not ' +
          'answer).',
        labelNames: ['reason'],
        registers,
      }),
    ),
  };
}

export type HealthMetrics = ReturnType<typeof createHealthMetrics>;
