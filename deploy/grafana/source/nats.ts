import { on, rate, type Dashboard } from './dashboard.ts';

/** The streams and buckets that the service makes; others of the same brokers are not shown. */
const OWN = 'stream_name=~"FACTS|REQUESTS|RECORDS|DELIVERIES|KV_.*"';

export const NATS: Dashboard = {
  uid: 'pa-nats',
  title: 'Player analytics: NATS',
  description: 'The brokers that hold the log, from prometheus-nats-exporter.',
  source: 'nats',
  rows: [
    {
      title: 'Servers',
      panels: [
        {
          title: 'Exporters up',
          description: 'One for each broker.',
          kind: 'stat',
          queries: [{ expr: `sum(${on('up', 'job="nats"')})` }],
        },
        {
          title: 'Connections',
          description: 'Each process of the service has two. A broker takes 4,096.',
          queries: [{ expr: on('gnatsd_varz_connections'), legend: '{{instance}}' }],
        },
        {
          title: 'Processor time',
          description: 'Percent of one core.',
          unit: 'percent',
          queries: [{ expr: on('gnatsd_varz_cpu'), legend: '{{instance}}' }],
        },
        {
          title: 'Memory',
          description: 'Resident bytes.',
          unit: 'bytes',
          queries: [{ expr: on('gnatsd_varz_mem'), legend: '{{instance}}' }],
        },
      ],
    },
    {
      title: 'Traffic',
      panels: [
        {
          title: 'Messages',
          description: 'A second, in and out.',
          queries: [
            { expr: rate('gnatsd_varz_in_msgs', 'instance'), legend: '{{instance}} in' },
            { expr: rate('gnatsd_varz_out_msgs', 'instance'), legend: '{{instance}} out' },
          ],
        },
        {
          title: 'Bytes',
          description: 'A second, in and out. A single event takes about 0.3 kB in.',
          unit: 'Bps',
          queries: [
            { expr: rate('gnatsd_varz_in_bytes', 'instance'), legend: '{{instance}} in' },
            { expr: rate('gnatsd_varz_out_bytes', 'instance'), legend: '{{instance}} out' },
          ],
        },
        {
          title: 'Slow consumers',
          description: 'Connections that the broker closed because they did not read.',
          queries: [
            {
              expr: `sum by (instance) (increase(${on('gnatsd_varz_slow_consumers')}[$__rate_interval]))`,
              legend: '{{instance}}',
            },
          ],
        },
      ],
    },
    {
      title: 'Streams',
      panels: [
        {
          title: 'Bytes of a stream',
          description: 'FACTS stays below 80 % of its size.',
          unit: 'bytes',
          queries: [
            { expr: `max by (stream_name) (${on('jetstream_stream_total_bytes', OWN)})`, legend: '{{stream_name}}' },
          ],
        },
        {
          title: 'Records of a stream, a second',
          description: 'Growth of the last sequence.',
          queries: [
            {
              expr: `max by (stream_name) (rate(${on('jetstream_stream_last_seq', OWN)}[$__rate_interval]))`,
              legend: '{{stream_name}}',
            },
          ],
        },
        {
          title: 'Storage in use',
          description: "Share of max_file_store. The broker's disk itself is watched by node_exporter.",
          unit: 'percentunit',
          max: 1,
          queries: [
            {
              expr: `${on('jetstream_server_total_message_bytes')} / ${on('jetstream_server_max_storage')}`,
              legend: '{{instance}}',
            },
          ],
        },
      ],
    },
  ],
};
