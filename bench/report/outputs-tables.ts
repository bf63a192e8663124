import { medianLatency } from '../measure/latency.ts';
import { median, medianRatio } from '../measure/statistics.ts';
import type { DeliveriesFigures } from '../outputs/deliveries.ts';
import type { Delays } from '../outputs/event-delays.ts';
import type { LatencyFigures } from '../outputs/latency.ts';
import type { OutputsFigures } from '../outputs/outputs.ts';
import { ROW_LOOK_MS } from '../outputs/row-reader.ts';
import { readersTables } from './readers-tables.ts';
import { latencyRow, section } from './sections.ts';
import { sickTables } from './sick-tables.ts';
import { figure, table, type Row } from './table.ts';
import { usageTables } from './usage-tables.ts';

/** What leaves the service, phase by phase. */
export function outputsTables({ latency, deliveries, readers, sick }: OutputsFigures): string {
  return [
    latency === undefined ? '' : latencyTables(latency),
    deliveries === undefined ? '' : deliveriesTables(deliveries),
    readers === undefined ? '' : readersTables(readers),
    sick === undefined ? '' : sickTables(sick),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

function latencyTables({ eventsPerSecond, batchSize, sampledEvery, rounds }: LatencyFigures): string {
  const bare = rounds.map((round) => round.bare);
  const service = rounds.map((round) => round.service);
  const rows = service.flatMap((run) => (run.rows === undefined ? [] : [run.rows]));
  const named = [
    ['bare relay', bare],
    ['service', service],
  ] as const;
  return [
    section(
      `From accepted to delivered at ${figure(eventsPerSecond)} events/s, ms ` +
        `(one in five alone, the others in batches of ${batchSize}; medians of the rounds)`,
      table(
        ['', 'p50', 'p99', 'p99.9', 'max', 'goal for p99', 'events', 'missing', 'again'],
        [
          delaysRow(
            'stream: bare relay',
            bare.map((run) => run.stream),
            '',
          ),
          delaysRow(
            'stream: service',
            service.map((run) => run.stream),
            '25',
          ),
          delaysRow(
            `webhook, every ${sampledEvery}th event: bare relay`,
            bare.map((run) => run.webhook),
            '',
          ),
          delaysRow(
            `webhook, every ${sampledEvery}th event: service`,
            service.map((run) => run.webhook),
            '50',
          ),
          delaysRow(`ClickHouse, looked at every ${ROW_LOOK_MS} ms: service`, rows, '1,000'),
          latencyRow('  requests sent late', medianLatency(service.map((run) => run.lateness))),
        ],
      ),
    ),
    usageTables(named),
  ].join('\n');
}

function delaysRow(name: string, runs: readonly Delays[], goal: string): Row {
  const sum = (of: (run: Delays) => number): string => String(runs.reduce((total, run) => total + of(run), 0));
  return [
    ...latencyRow(name, medianLatency(runs.map((run) => run.latency))),
    goal,
    sum((run) => run.wanted),
    sum((run) => run.missing),
    sum((run) => run.repeated + run.unwanted),
  ];
}

function deliveriesTables(cases: readonly DeliveriesFigures[]): string {
  const named = cases.flatMap(
    ({ webhooks, rounds }) =>
      [
        [`${webhooks} webhooks: bare relay`, rounds.map(({ bare }) => bare)],
        [`${webhooks} webhooks: service`, rounds.map(({ service }) => service)],
      ] as const,
  );
  return [
    section(
      'Deliveries of a backlog to a receiver that answers at once (medians of the rounds; ratio: of the pairs)',
      table(
        [
          '',
          'bare/s',
          'service/s',
          'ratio',
          'deliveries',
          'behind at the end of the load',
          'put off',
          'missing',
          'again',
        ],
        cases.map(({ webhooks, rounds }) => {
          const runs = rounds.map(({ service }) => service);
          const sum = (of: (run: Delays) => number): string =>
            String(runs.reduce((total, { delays }) => total + of(delays), 0));
          return [
            `${webhooks} webhooks`,
            figure(median(rounds.map(({ bare }) => bare.perSecond))),
            figure(median(runs.map(({ perSecond }) => perSecond))),
            medianRatio(rounds.map(({ bare, service }) => ({ of: service.perSecond, to: bare.perSecond }))).toFixed(2),
            sum(({ wanted }) => wanted),
            figure(median(runs.map(({ backlog }) => backlog))),
            figure(median(runs.map(({ defer }) => defer))),
            sum(({ missing }) => missing),
            sum(({ repeated, unwanted }) => repeated + unwanted),
          ];
        }),
      ),
    ),
    usageTables(named),
  ].join('\n');
}
