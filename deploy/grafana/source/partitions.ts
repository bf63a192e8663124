import { on, quantile, rate, type Dashboard } from './dashboard.ts';

export const PARTITIONS: Dashboard = {
  uid: 'pa-partitions',
  title: 'Player analytics: partitions and owners',
  description: 'Who owns the partitions of players, how commits go, and how full the log is.',
  source: 'service',
  rows: [
    {
      title: 'Owners',
      panels: [
        {
          title: 'Without an owner',
          description:
            'Partitions that no owner serves. A take-over ends within 5 s, a rebuild of 1,000,000 players in 44 s.',
          kind: 'stat',
          red: 1,
          width: 6,
          queries: [{ expr: `max(${on('gateway_partitions_without_owner')})` }],
        },
        {
          title: 'Partitions owned',
          description: 'The sum is the number of partitions of the deployment.',
          width: 9,
          stacked: true,
          queries: [{ expr: on('owner_partitions'), legend: '{{instance}} {{process}}' }],
        },
        {
          title: 'Partitions followed',
          description: 'Ready to take over, or being prepared.',
          width: 9,
          queries: [{ expr: on('owner_partitions_following'), legend: '{{instance}} {{process}}' }],
        },
        {
          title: 'Partitions refused',
          description: 'What a process must not own for now. store is its disk, rebuild ClickHouse, clock its clock.',
          width: 8,
          queries: [
            {
              expr: `sum by (instance, reason) (${on('owner_partitions_refused')})`,
              legend: '{{instance}} {{reason}}',
            },
          ],
        },
        {
          title: 'Ends of terms',
          description: 'stopped is a hand-over. All others are faults that the service survived.',
          width: 8,
          queries: [
            {
              expr: `sum by (reason) (increase(${on('owner_step_downs_total')}[$__rate_interval]))`,
              legend: '{{reason}}',
            },
          ],
        },
        {
          title: 'Rebuilds',
          description: 'Share of the snapshots that a take-over without a local store has loaded.',
          unit: 'percentunit',
          width: 8,
          max: 1,
          queries: [{ expr: on('owner_rebuild_progress'), legend: '{{instance}} {{partition}}' }],
        },
      ],
    },
    {
      title: 'Commits',
      panels: [
        {
          title: 'Append to acknowledgement',
          description: 'The broker syncs each record to its disk: a slow disk shows here first.',
          unit: 's',
          queries: [
            { expr: quantile(0.5, 'owner_commit_duration_seconds'), legend: 'p50' },
            { expr: quantile(0.99, 'owner_commit_duration_seconds'), legend: 'p99' },
          ],
        },
        {
          title: 'Facts in a record',
          description: 'Average. 2 at 1,000 events a second, over 100 near the maximum.',
          queries: [
            { expr: `${rate('owner_commit_facts_sum')} / ${rate('owner_commit_facts_count')}`, legend: 'facts' },
          ],
        },
        {
          title: 'Facts stored',
          description: 'A second, over all partitions.',
          queries: [{ expr: rate('owner_commit_facts_sum', 'instance'), legend: '{{instance}}' }],
        },
        {
          title: 'Commands in a message',
          description: 'Average, and commands handed over in memory a second.',
          queries: [
            {
              expr: `${rate('gateway_batch_commands_sum')} / ${rate('gateway_batch_commands_count')}`,
              legend: 'in a message',
            },
            { expr: rate('gateway_commands_handed_over_total'), legend: 'in memory' },
          ],
        },
      ],
    },
    {
      title: 'The log',
      panels: [
        {
          title: 'Bytes of the log',
          description: 'The trimmer keeps it below 80 % of its size. At the limit writes are answered 503.',
          unit: 'bytes',
          queries: [
            { expr: `max(${on('facts_bytes')})`, legend: 'held' },
            { expr: `max(${on('facts_limit_bytes')})`, legend: 'limit' },
          ],
        },
        {
          title: 'What holds the log',
          description: 'Bytes that cannot be trimmed yet, by what has not passed them.',
          unit: 'bytes',
          queries: [{ expr: `max by (holder) (${on('facts_held_bytes')})`, legend: '{{holder}}' }],
        },
        {
          title: 'Full in',
          description: 'At the growth of the last 10 minutes. Empty without growth. An alert fires below 3 days.',
          unit: 's',
          queries: [{ expr: `min(${on('facts_full_in_seconds')} < 365 * 86400)`, legend: 'full in' }],
        },
        {
          title: "Clock against the broker's",
          description: 'A node that is more than a second off gives its partitions up.',
          unit: 's',
          queries: [{ expr: `abs(${on('clock_offset_seconds')})`, legend: '{{instance}}' }],
        },
      ],
    },
    {
      title: 'Players',
      panels: [
        {
          title: 'Players in memory',
          description: 'Active ones; about 45,000 fit into the memory of one process.',
          stacked: true,
          queries: [{ expr: `sum by (partition) (${on('owner_hot_players')})`, legend: '{{partition}}' }],
        },
        {
          title: 'Waiting for a snapshot',
          description: 'Players that changed since their newest snapshot.',
          stacked: true,
          queries: [{ expr: `sum by (partition) (${on('owner_snapshots_waiting')})`, legend: '{{partition}}' }],
        },
        {
          title: 'Local store',
          description:
            'Failed writes, and stores thrown away because they were faulty. More than one: replace the disk.',
          queries: [
            { expr: rate('owner_store_write_failures_total', 'instance'), legend: '{{instance}} failed writes' },
            { expr: rate('owner_stores_discarded_total', 'instance'), legend: '{{instance}} discarded' },
          ],
        },
        {
          title: 'Conditions over their budget',
          description: 'They count as false. Simplify the segment, flag or campaign.',
          queries: [{ expr: rate('owner_condition_budget_exceeded_total', 'definition'), legend: '{{definition}}' }],
        },
      ],
    },
  ],
  noData: ['A gateway without the role `actors` owns no partition: choose the nodes that do.'],
};
