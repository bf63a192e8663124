import { Counter, Gauge, type Registry } from 'prom-client';
import { fromZero } from '../../../core/kernel/metrics/counter-from-zero.ts';

/** The failures of the sinks that write ClickHouse. */
const SINK_FAILURES = ['clickhouse', 'clickhouse-records', 'clickhouse-audit'].flatMap((sink) =>
  ['unreachable', 'refused', 'lost'].map((reason) => ({ sink, reason })),
);

/** The sinks that write ClickHouse. */
export function createClickhouseMetrics(registers: Registry[]) {
  return {
    playerDaysBehind: new Gauge({
      name: 'player_days_behind_seconds',
      help: 'Age of the oldest rows that are not in player_days, of the game that is furthest behind; 0: none.',
      registers,
    }),
    mergesPending: new Gauge({
      name: 'player_merges_pending',
      help: 'Merges of players whose rows in ClickHouse are not moved yet.',
      registers,
    }),
    mergesOldest: new Gauge({
      name: 'player_merges_oldest_seconds',
      help: 'Age of the oldest merge whose rows in ClickHouse are not moved yet; 0: none.',
      registers,
    }),
    sinkRows: new Counter({
      name: 'clickhouse_rows_total',
      help: 'Rows inserted into ClickHouse, by table.',
      labelNames: ['table'],
      registers,
    }),
    sinkFailures: fromZero(
      SINK_FAILURES,
      new Counter({
        name: 'sink_failures_total',
        help: 'Failed writes of a sink, by sink and reason. The sink repeats them; reason refused needs an operator.',
        labelNames: ['sink', 'reason'],
        registers,
      }),
    ),
  };
}

export type ClickhouseMetrics = ReturnType<typeof createClickhouseMetrics>;
