import { on, quantile, rate, type Dashboard } from './dashboard.ts';

export const OVERVIEW: Dashboard = {
  uid: 'pa-overview',
  title: 'Player analytics: overview',
  description: 'Whether the service answers, how fast, and what it needs.',
  source: 'service',
  rows: [
    {
      title: 'Now',
      panels: [
        {
          title: 'Processes up',
          description: 'Scraped processes of the service that answer.',
          kind: 'stat',
          queries: [{ expr: `sum(${on('up', 'job="player-analytics"')})` }],
        },
        {
          title: 'Checks that fail',
          description: 'Checks of /readyz?verbose. Required ones make a process unready.',
          kind: 'stat',
          red: 1,
          queries: [{ expr: `count(${on('readiness_check')} == 0) or vector(0)` }],
        },
        {
          title: 'Server errors',
          description: 'Share of answers with 5xx. An alert fires above 1 %.',
          kind: 'stat',
          unit: 'percentunit',
          red: 0.01,
          queries: [
            {
              expr: `(${rate('http_requests_total', '', 'status=~"5.."')} or vector(0)) / ${rate('http_requests_total')}`,
            },
          ],
        },
        {
          title: 'Log reaches back',
          description: 'Age of the oldest record of the log: how far event streams and recover reach.',
          kind: 'stat',
          unit: 's',
          queries: [{ expr: `min(${on('facts_reach_seconds')})` }],
        },
      ],
    },
    {
      title: 'Requests',
      panels: [
        {
          title: 'Requests by route',
          description: 'Answers a second. One process serves at most 10,000 to 25,000 single events a second.',
          unit: 'reqps',
          stacked: true,
          queries: [{ expr: rate('http_requests_total', 'route'), legend: '{{route}}' }],
        },
        {
          title: 'Answers by status',
          description: '429 is a rate limit; 503 a broker that is slow, away or full; 500 a fault.',
          unit: 'reqps',
          queries: [{ expr: rate('http_requests_total', 'status'), legend: '{{status}}' }],
        },
        {
          title: 'Latency of all routes',
          description: 'At 1,000 single events a second p99 was 26 ms on two cores, at 5,000 a second 94 ms.',
          unit: 's',
          queries: [
            { expr: quantile(0.5, 'http_request_duration_seconds'), legend: 'p50' },
            { expr: quantile(0.95, 'http_request_duration_seconds'), legend: 'p95' },
            { expr: quantile(0.99, 'http_request_duration_seconds'), legend: 'p99' },
          ],
        },
        {
          title: 'p99 by route',
          description: 'Event streams are left out: they stay open.',
          unit: 's',
          queries: [{ expr: quantile(0.99, 'http_request_duration_seconds', 'route'), legend: '{{route}}' }],
        },
      ],
    },
    {
      title: 'Writes that were not accepted',
      panels: [
        {
          title: 'Refused before the log',
          description: 'disk: free space is below the reserve. log: the broker stores nothing.',
          queries: [{ expr: rate('gateway_writes_refused_total', 'reason'), legend: '{{reason}}' }],
        },
        {
          title: 'Timed out, or no room',
          description: 'Timed out: no owner replied within 5 s. No room: the log is full up to its reserve.',
          queries: [
            { expr: rate('gateway_commands_timed_out_total'), legend: 'timed out' },
            { expr: rate('owner_commands_without_room_total'), legend: 'no room' },
          ],
        },
        {
          title: 'Clients that do not read',
          description: 'Connections closed with an unread answer, and bytes of such answers (at most 128 MiB).',
          queries: [
            { expr: rate('http_slow_readers_closed_total', 'reason'), legend: 'closed: {{reason}}' },
            { expr: `sum(${on('http_unread_answer_bytes')})`, legend: 'unread bytes' },
          ],
        },
        {
          title: 'Events that broke their schema',
          description: 'By the mode of the schema: only enforce quarantines.',
          queries: [{ expr: rate('event_schema_violations_total', 'mode'), legend: '{{mode}}' }],
        },
      ],
    },
    {
      title: 'Guardrails of experiments',
      panels: [
        {
          title: 'Looks',
          description: 'A second, while an experiment with guardrails runs. unavailable: ClickHouse gave no answer.',
          queries: [{ expr: rate('guardrail_checks_total', 'outcome'), legend: '{{outcome}}' }],
        },
        {
          title: 'Harm found',
          description: 'In an hour, by what the guardrail did. The audit log says which experiment.',
          queries: [{ expr: `sum by (action) (increase(${on('guardrail_trips_total')}[1h]))`, legend: '{{action}}' }],
        },
      ],
    },
    {
      title: 'Processes',
      panels: [
        {
          title: 'Processor time',
          description: 'Cores in use. A process uses little more than one.',
          queries: [
            { expr: rate('process_cpu_seconds_total', 'instance', 'job="player-analytics"'), legend: '{{instance}}' },
          ],
        },
        {
          title: 'Main thread: how late, p99',
          description: 'At the highest load measured the p99 was below 100 ms. An alert fires above 250 ms.',
          unit: 's',
          red: 0.25,
          queries: [
            { expr: quantile(0.99, 'event_loop_delay_seconds', 'instance'), legend: '{{instance}}' },
            { expr: quantile(0.99, 'sinks_event_loop_delay_seconds', 'instance'), legend: '{{instance}} sinks' },
          ],
        },
        {
          title: 'Memory',
          description:
            'Resident bytes. Idle 0.3 GiB; with 1,000,000 known players 1.5 to 1.7 GiB, mapped files included.',
          unit: 'bytes',
          queries: [
            { expr: on('process_resident_memory_bytes', 'job="player-analytics"'), legend: '{{instance}}' },
            { expr: on('nodejs_heap_size_used_bytes', 'job="player-analytics"'), legend: '{{instance}} heap' },
          ],
        },
        {
          title: 'Free disk',
          description: 'Of the file system of DATA_DIR. Below 1 GiB (5 % of a small one) writes are refused.',
          unit: 'percentunit',
          max: 1,
          queries: [{ expr: `${on('disk_free_bytes')} / ${on('disk_size_bytes')}`, legend: '{{instance}}' }],
        },
      ],
    },
  ],
};
