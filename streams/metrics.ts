import { Gauge, type Registry } from 'prom-client';

/** How far this process's clock is from the broker's. */
export function createClockMetrics(registers: Registry[]) {
  return {
    clockOffset: new Gauge({
      name: 'clock_offset_seconds',
      help: "How far this process's clock is ahead of the broker's; negative when it is behind.",
      registers,
    }),
  };
}

export type ClockMetrics = ReturnType<typeof createClockMetrics>;

/** How far the sinks are behind, whichever output they write. */
export function createSinkLagMetrics(registers: Registry[]) {
  return {
    sinkLag: new Gauge({
      name: 'sink_lag_records',
      help:
        'Records that are stored in a stream but not yet handled, by sink. clickhouse-records reads RECORDS, ' +
        'clickhouse-audit reads AUDIT, the others read FACTS.',
      labelNames: ['sink'],
      registers,
    }),
  };
}

export type SinkLagMetrics = ReturnType<typeof createSinkLagMetrics>;
