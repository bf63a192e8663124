import { on, rate, type Dashboard } from './dashboard.ts';

export const WEBHOOKS: Dashboard = {
  uid: 'pa-webhooks',
  title: 'Player analytics: webhooks',
  description: 'Deliveries to the receivers of the games, over all webhooks.',
  source: 'service',
  rows: [
    {
      title: 'Deliveries',
      panels: [
        {
          title: 'Attempts by outcome',
          description: 'A second. Which webhook fails is in the table webhook_deliveries.',
          queries: [{ expr: rate('webhook_attempts_total', 'outcome'), legend: '{{outcome}}' }],
        },
        {
          title: 'Oldest undelivered',
          description:
            'A receiver that fails is tried again after 1, 5, 30 and 120 minutes. An alert fires above 900 s.',
          unit: 's',
          red: 900,
          queries: [{ expr: `max(${on('webhook_oldest_undelivered_seconds')})`, legend: 'oldest' }],
        },
        {
          title: 'Waiting and in flight',
          description: 'Records that wait (1 to 64 deliveries each), and requests under way.',
          queries: [
            { expr: `max(${on('webhook_deliveries_pending')})`, legend: 'waiting records' },
            { expr: `sum(${on('webhook_deliveries_in_flight')})`, legend: 'in flight' },
          ],
        },
      ],
    },
    {
      title: 'Receivers that fail',
      panels: [
        {
          title: 'Without an answer',
          description: 'Webhooks whose receiver does not answer: one attempt at a time.',
          queries: [{ expr: `sum(${on('webhook_open_circuits')})`, legend: 'webhooks' }],
        },
        {
          title: 'Overflowed',
          description: 'Deliveries that were not queued, and games with more than can be queued. recover queues them.',
          queries: [
            { expr: rate('webhook_deliveries_overflowed_total'), legend: 'deliveries a second' },
            { expr: `sum(${on('webhook_games_behind')})`, legend: 'games behind' },
          ],
        },
        {
          title: 'Disabled',
          description: 'By the service: gone (410), or failing for long. webhook_disablings names them.',
          queries: [
            { expr: `sum by (reason) (increase(${on('webhooks_disabled_total')}[$__range]))`, legend: '{{reason}}' },
          ],
        },
        {
          title: 'Records behind',
          description: 'Records of the log that were not matched yet.',
          queries: [{ expr: `max(${on('sink_lag_records', 'sink="webhooks"')})`, legend: 'records' }],
        },
      ],
    },
  ],
  noData: ['Without webhooks there are no attempts. Only processes with the role `sinks` report here.'],
};
