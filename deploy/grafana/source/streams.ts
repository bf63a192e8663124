import { on, quantile, rate, type Dashboard } from './dashboard.ts';

export const STREAMS: Dashboard = {
  uid: 'pa-streams',
  title: 'Player analytics: streams',
  description: 'Readers of the event stream, and of changed flags.',
  source: 'service',
  rows: [
    {
      title: 'Event stream',
      panels: [
        {
          title: 'Readers',
          description: 'Open streams, and those that catch up.',
          queries: [
            { expr: `sum(${on('sse_readers')})`, legend: 'open' },
            { expr: `sum(${on('sse_readers_behind')})`, legend: 'catching up' },
          ],
        },
        {
          title: 'Records behind',
          description: 'Stored but not yet sent by a process. From accepted to the stream p50 was 0.9 ms, p99 30 ms.',
          queries: [{ expr: on('sse_lag_records'), legend: '{{instance}} {{process}}' }],
        },
        {
          title: 'Unsent bytes',
          description: 'Of all streams of a process. Past 256 MiB the fullest are disconnected.',
          unit: 'bytes',
          queries: [{ expr: on('sse_buffered_bytes'), legend: '{{instance}} {{process}}' }],
        },
        {
          title: 'Disconnected, and gaps',
          description: 'Slow readers resume with Last-Event-ID. A gap: the log no longer reaches back that far.',
          queries: [
            { expr: rate('sse_disconnects_total', 'reason'), legend: '{{reason}}' },
            { expr: rate('sse_gaps_total'), legend: 'gaps' },
          ],
        },
      ],
    },
    {
      title: 'Changed flags',
      panels: [
        {
          title: 'Readers',
          description: 'Open streams of changed flags.',
          queries: [{ expr: `sum(${on('sse_change_readers')})`, legend: 'open' }],
        },
        {
          title: 'Messages',
          description: 'A second, one for each stream that was told.',
          queries: [{ expr: rate('sse_change_messages_total'), legend: 'messages' }],
        },
        {
          title: 'Change to message, p99',
          description: 'To the last stream of a process. 0.25 s of it gathers changes.',
          unit: 's',
          queries: [{ expr: quantile(0.99, 'sse_change_delay_seconds'), legend: 'p99' }],
        },
        {
          title: 'Disconnected',
          description: 'Slow streams that the service ended.',
          queries: [{ expr: rate('sse_change_disconnects_total', 'reason'), legend: '{{reason}}' }],
        },
      ],
    },
    {
      title: 'Exposures',
      panels: [
        {
          title: 'Exposures by origin',
          description:
            'mismatch and unattributed ones are missing in experiments: the event names another variant, or none.',
          queries: [{ expr: rate('flag_exposures_total', 'attribution'), legend: '{{attribution}}' }],
        },
        {
          title: 'Messages of Segment clients',
          description: 'By type and outcome.',
          queries: [{ expr: rate('segment_messages_total', 'type, outcome'), legend: '{{type}} {{outcome}}' }],
        },
      ],
    },
  ],
  noData: ['Without readers there is no lag and there are no messages.'],
};
