import { on, rate, type Dashboard } from './dashboard.ts';

export const CLICKHOUSE_SERVER: Dashboard = {
  uid: 'pa-clickhouse',
  title: 'Player analytics: ClickHouse',
  description: "The ClickHouse server of a cluster, from the server's own metrics.",
  source: 'clickhouse-server',
  rows: [
    {
      title: 'Inserts',
      panels: [
        {
          title: 'Rows inserted',
          description: 'A second, over all tables of the server.',
          queries: [{ expr: rate('ClickHouseProfileEvents_InsertedRows', 'instance'), legend: '{{instance}}' }],
        },
        {
          title: 'Inserts',
          description: 'The service sends at most two a second for each table.',
          queries: [
            { expr: rate('ClickHouseProfileEvents_InsertQuery', 'instance'), legend: '{{instance}}' },
            { expr: rate('ClickHouseProfileEvents_FailedInsertQuery', 'instance'), legend: '{{instance}} failed' },
          ],
        },
        {
          title: 'Delayed and rejected',
          description: 'Inserts that ClickHouse slowed down or refused because a table has too many parts.',
          queries: [
            { expr: rate('ClickHouseProfileEvents_DelayedInserts', 'instance'), legend: '{{instance}} delayed' },
            { expr: rate('ClickHouseProfileEvents_RejectedInserts', 'instance'), legend: '{{instance}} rejected' },
          ],
        },
      ],
    },
    {
      title: 'Queries',
      panels: [
        {
          title: 'Queries running',
          description: 'At the moment of the scrape.',
          queries: [{ expr: on('ClickHouseMetrics_Query'), legend: '{{instance}}' }],
        },
        {
          title: 'Selects',
          description: 'A second, and those that failed.',
          queries: [
            { expr: rate('ClickHouseProfileEvents_SelectQuery', 'instance'), legend: '{{instance}}' },
            { expr: rate('ClickHouseProfileEvents_FailedSelectQuery', 'instance'), legend: '{{instance}} failed' },
          ],
        },
        {
          title: 'Time of selects',
          description: 'Average. A page of 50 events from 10,000,000 took 65 to 100 ms.',
          unit: 's',
          queries: [
            {
              expr:
                `${rate('ClickHouseProfileEvents_SelectQueryTimeMicroseconds', 'instance')} / 1e6 / ` +
                rate('ClickHouseProfileEvents_SelectQuery', 'instance'),
              legend: '{{instance}}',
            },
          ],
        },
      ],
    },
    {
      title: 'Server',
      panels: [
        {
          title: 'Memory',
          description: 'Tracked by the server.',
          unit: 'bytes',
          queries: [{ expr: on('ClickHouseMetrics_MemoryTracking'), legend: '{{instance}}' }],
        },
        {
          title: 'Merges and mutations',
          description: 'Background merges, and mutations of parts (erasures are some).',
          queries: [
            { expr: on('ClickHouseMetrics_Merge'), legend: '{{instance}} merges' },
            { expr: on('ClickHouseMetrics_PartMutation'), legend: '{{instance}} mutations' },
          ],
        },
        {
          title: 'Active parts',
          description: 'Over all tables. A number that only grows means that merges do not keep up.',
          queries: [{ expr: on('ClickHouseMetrics_PartsActive'), legend: '{{instance}}' }],
        },
        {
          title: 'Connections',
          description: 'HTTP, which the service uses.',
          queries: [{ expr: on('ClickHouseMetrics_HTTPConnection'), legend: '{{instance}}' }],
        },
      ],
    },
  ],
};
