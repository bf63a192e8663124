import { figure, tableOf } from '../report/table.ts';
import { delayMs } from '../service/counters.ts';
import { DEPLOYED, sumOfDeployed, type CostRow } from './cost-figures.ts';

/** Two Markdown tables with the same rows: CPU time and latency, and what that work consists of. */
export function costTables(rows: readonly CostRow[]): string {
  const failed = rows.flatMap(({ name, errors }) =>
    Object.entries(errors).map(([kind, count]) => `${name}: ${count} ${kind}`),
  );
  return [
    'µs of CPU per event, request or delivery; latencies in ms, from the same run.',
    '',
    tableOf(rows, {
      load: ({ name }) => name,
      per: ({ unit }) => unit,
      'rate/s': ({ unitsPerSecond }) => unitsPerSecond,
      'of bare': ({ unit, ofBare }) => (unit === 'second' ? '–' : ofBare.toFixed(2)),
      ...Object.fromEntries(DEPLOYED.map((name) => [name, ({ cpuUs }: CostRow) => cpuUs[name] ?? Number.NaN])),
      all: ({ cpuUsOfAll }) => cpuUsOfAll,
      bare: ({ bareCpuUs }) => bareCpuUs,
      p50: ({ p50Ms }) => p50Ms,
      p95: ({ p95Ms }) => p95Ms,
      p99: ({ p99Ms }) => p99Ms,
      'CPUs of others': ({ othersCpus }) => othersCpus,
    }),
    '',
    'Per event, request or delivery; resident memory at the end.',
    '',
    tableOf(rows, {
      load: ({ name }) => name,
      'FACTS records': counted('appends FACTS'),
      fsyncs: counted('fsyncs'),
      'messages in': counted('messages in'),
      'messages out': counted('messages out'),
      'kB in': kilobytes('bytes in'),
      'kB out': kilobytes('bytes out'),
      'writes, service': counted('writes service'),
      'writes, nats': counted('writes nats'),
      'switches, service': counted('switches service'),
      'switches, nats': counted('switches nats'),
      'kB allocated': kilobytes('allocated bytes'),
      'main thread µs': microseconds('CPU seconds of the main thread'),
      'sinks µs': microseconds('CPU seconds of the sinks'),
      'main thread late, p99 ms': ({ counted: of }) => `≤ ${figure(delayMs(of, 0.99))}`,
      'MiB, service': ({ rssMiB }) => rssMiB['service'] ?? Number.NaN,
      'MiB, all': ({ rssMiB }) => sumOfDeployed(rssMiB),
    }),
    '',
    ...(failed.length === 0 ? [] : ['Failures:', ...failed, '']),
  ].join('\n');
}

/** One line of a round, while it runs. */
export function costLine({ unitsPerSecond, cpuUsOfAll, bareCpuUs, p50Ms, p99Ms }: CostRow): string {
  const [rate, cpu, bare, p50, p99] = [unitsPerSecond, cpuUsOfAll, bareCpuUs, p50Ms, p99Ms].map(figure);
  return `${rate}/s, ${cpu} µs (bare ${bare}), p50 ${p50} ms, p99 ${p99} ms`;
}

const counted =
  (name: string) =>
  (row: CostRow): number =>
    row.counted[name] ?? Number.NaN;

const kilobytes =
  (name: string) =>
  (row: CostRow): number =>
    counted(name)(row) / 1_000;

const microseconds =
  (name: string) =>
  (row: CostRow): number =>
    counted(name)(row) * 1e6;
