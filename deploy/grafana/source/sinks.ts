import { on, quantile, rate, type Dashboard } from './dashboard.ts';

export const SINKS: Dashboard = {
  uid: 'pa-sinks',
  title: 'Player analytics: sinks and lag',
  description: 'How far ClickHouse and webhooks are behind the log, and why.',
  source: 'service',
  rows: [
    {
      title: 'Freshness',
      panels: [
        {
          title: 'From accepted to the output',
          description: 'Of one event a second: to a row in ClickHouse, to the answer of a webhook, to open streams.',
          unit: 's',
          queries: [
            { expr: quantile(0.5, 'sink_delay_seconds', 'sink'), legend: '{{sink}} p50' },
            { expr: quantile(0.99, 'sink_delay_seconds', 'sink'), legend: '{{sink}} p99' },
            { expr: quantile(0.99, 'sse_delay_seconds'), legend: 'stream p99' },
          ],
        },
        {
          title: 'Behind',
          description: 'Age of the oldest accepted record that a sink has not handled. An alert fires above 60 s.',
          unit: 's',
          red: 60,
          queries: [{ expr: `max by (sink) (${on('sink_behind_seconds')})`, legend: '{{sink}}' }],
        },
        {
          title: 'Days of players behind',
          description: 'Age of the oldest rows that are not in player_days, of the game that is furthest behind.',
          unit: 's',
          red: 1_800,
          queries: [{ expr: `max(${on('player_days_behind_seconds')})`, legend: 'oldest game' }],
        },
        {
          title: 'Merges that wait',
          description: 'Merges of players whose rows in ClickHouse are not moved yet.',
          queries: [{ expr: `max(${on('player_merges_pending')})`, legend: 'merges' }],
        },
        {
          title: 'Oldest merge that waits',
          description: 'Age of the oldest of them. An alert fires above an hour.',
          unit: 's',
          red: 3_600,
          queries: [{ expr: `max(${on('player_merges_oldest_seconds')})`, legend: 'oldest' }],
        },
        {
          title: 'Age of the newest event',
          description: 'Grows while no game sends events. Then "Behind" stays at 0.',
          unit: 's',
          queries: [
            { expr: `time() - max by (sink) (${on('sink_newest_event_timestamp_seconds')})`, legend: '{{sink}}' },
            { expr: `time() - max(${on('sse_newest_event_timestamp_seconds')} > 0)`, legend: 'stream' },
          ],
        },
      ],
    },
    {
      title: 'Lag',
      panels: [
        {
          title: 'Records behind',
          description: 'ClickHouse is 0.4 to 0.8 s behind, a few hundred records. An alert fires above 10,000.',
          red: 10_000,
          queries: [{ expr: `max by (sink) (${on('sink_lag_records')})`, legend: '{{sink}}' }],
        },
        {
          title: 'Failed writes',
          description: 'unreachable heals by itself; refused and lost need an operator.',
          queries: [{ expr: rate('sink_failures_total', 'sink, reason'), legend: '{{sink}} {{reason}}' }],
        },
        {
          title: 'What holds the log',
          description: 'Bytes of the log that the sinks have not passed.',
          unit: 'bytes',
          queries: [
            { expr: `max by (holder) (${on('facts_held_bytes', 'holder!~"partition-.*"')})`, legend: '{{holder}}' },
          ],
        },
      ],
    },
    {
      title: 'Rows',
      panels: [
        {
          title: 'Rows inserted, by table',
          description: 'A second. One process inserted 57,000 events a second on two cores.',
          stacked: true,
          queries: [{ expr: rate('clickhouse_rows_total', 'table'), legend: '{{table}}' }],
        },
        {
          title: 'Webhook attempts missing in their table',
          description: 'RECORDS did not accept them in time. The deliveries themselves are not concerned.',
          queries: [{ expr: rate('webhook_attempts_unlogged_total'), legend: 'attempts' }],
        },
      ],
    },
    {
      title: "The sinks' thread",
      panels: [
        {
          title: 'Processor time',
          description: 'Cores; one is the most.',
          max: 1,
          queries: [
            {
              expr: `sum by (instance) (rate(${on('sinks_thread_cpu_seconds')}[$__rate_interval]))`,
              legend: '{{instance}}',
            },
          ],
        },
        {
          title: 'How late, p99',
          description: 'How late a timer of the thread fires while it works.',
          unit: 's',
          queries: [{ expr: quantile(0.99, 'sinks_event_loop_delay_seconds', 'instance'), legend: '{{instance}}' }],
        },
        {
          title: 'Allocations',
          description: 'Bytes a second on the JavaScript heap.',
          unit: 'Bps',
          queries: [{ expr: rate('sinks_heap_allocated_bytes_total', 'instance'), legend: '{{instance}}' }],
        },
      ],
    },
  ],
  noData: ['Only processes with the role `sinks` report here, and one of them at a time writes ClickHouse.'],
};
