import type { Comparison, IngestFigures } from '../ingest/ingest.ts';
import type { Run } from '../ingest/run.ts';
import { latencyAt, medianLatency, type Latency } from '../measure/latency.ts';
import { median, medianByName, medianRatio } from '../measure/statistics.ts';
import type { Machine } from './machine.ts';
import { figure, table, type Row } from './table.ts';

/** Everything that was measured, as text for a terminal. */
export function ingestTables(figures: IngestFigures, machine: Machine): string {
  const { comparisons, sustained, open, soak, stream } = figures;
  const long: [string, Run][] = [
    ...(sustained === undefined ? [] : [[`batches, ${sustained.seconds} s`, sustained] satisfies [string, Run]]),
    ...(open === undefined ? [] : [['open loop', open.service] satisfies [string, Run]]),
    ...(soak === undefined ? [] : [[`soak, ${soak.seconds} s`, soak] satisfies [string, Run]]),
  ];
  const byName: [string, Run[]][] = [
    ...comparisons.map(({ name, rounds }): [string, Run[]] => [name, rounds.map(({ service }) => service)]),
    ...long.map(([name, run]): [string, Run[]] => [name, [run]]),
  ];
  return [
    '',
    machineLine(machine),
    section('Throughput (medians of the rounds; ratio: of the pairs)', throughput(comparisons, sustained)),
    section(
      'Latency, ms (closed loop as wrk corrects it; open loop from the moment a request was due)',
      latency(figures),
    ),
    section(
      'CPU seconds per 1,000 events',
      perProcess(byName, (run) => run.cpuSecondsPerThousandEvents, true),
    ),
    section(
      'Resident memory at the end, MiB',
      perProcess(byName, (run) => run.rssMiB, false),
    ),
    section('ClickHouse', clickhouse(byName)),
    ...(soak?.memory === undefined ? [] : [section('Memory over the soak, MiB', soakMemory(soak.memory))]),
    section('Errors', errors(byName)),
    `Stream reader: ${figure(stream.messages)} messages, ${stream.interruptions} interruptions`,
  ]
    .filter((part) => part !== '')
    .join('\n');
}

function machineLine({ cpus, cpuModel, memoryGiB, node, commit, fsyncMs }: Machine): string {
  return `${cpus} CPUs (${cpuModel}), ${memoryGiB} GiB, Node ${node}, commit ${commit}, fsync of 4 KiB ${figure(fsyncMs)} ms`;
}

/** Nothing at all when there is nothing to show. */
function section(title: string, text: string): string {
  return text === '' ? '' : `\n${title}\n${text}\n`;
}

function throughput(comparisons: readonly Comparison[], sustained: Run | undefined): string {
  const rows = comparisons.map(({ name, rounds }): Row => {
    const pairs = rounds.flatMap(({ bare, service }) =>
      bare === undefined ? [] : [{ of: service.requestsPerSecond, to: bare.requestsPerSecond }],
    );
    return [
      name,
      pairs.length === 0 ? '–' : figure(median(pairs.map(({ to }) => to))),
      figure(median(rounds.map(({ service }) => service.requestsPerSecond))),
      pairs.length === 0 ? '–' : medianRatio(pairs).toFixed(2),
      figure(median(rounds.map(({ service }) => service.eventsPerSecond))),
    ];
  });
  if (sustained !== undefined) {
    const { seconds, requestsPerSecond, eventsPerSecond } = sustained;
    rows.push([`batches, ${seconds} s`, '', figure(requestsPerSecond), '', figure(eventsPerSecond)]);
  }
  return table(['', 'bare req/s', 'service req/s', 'ratio', 'events/s'], rows);
}

function latency({ comparisons, open, soak, sustained }: IngestFigures): string {
  const rows: Row[] = comparisons.flatMap(({ name, rounds }) => {
    const bare = rounds.flatMap((round) => (round.bare === undefined ? [] : [round.bare.latency]));
    return [
      ...(bare.length === 0 ? [] : [latencyRow(`${name}: bare`, medianLatency(bare))]),
      latencyRow(`${name}: service`, medianLatency(rounds.map(({ service }) => service.latency))),
    ];
  });
  if (sustained !== undefined) rows.push(latencyRow(`batches, ${sustained.seconds} s: service`, sustained.latency));
  if (open !== undefined) {
    const name = `open loop, ${figure(open.requestsPerSecond)} requests/s`;
    if (open.bare !== undefined) rows.push(latencyRow(`${name}: bare`, open.bare.latency));
    rows.push(latencyRow(`${name}: service`, open.service.latency));
    if (open.service.lateness !== undefined) rows.push(latencyRow('  of it, sent late', open.service.lateness));
  }
  if (soak !== undefined) rows.push(latencyRow(`soak, ${soak.seconds} s: service`, soak.latency));
  return table(['', 'p50', 'p99', 'p99.9', 'max'], rows);
}

function latencyRow(name: string, of: Latency): Row {
  return [name, ...[0.5, 0.99, 0.999].map((share) => figure(latencyAt(of, share))), figure(of.maxMs)];
}

/** One column per process. */
function perProcess(
  named: readonly [string, Run[]][],
  pick: (run: Run) => Readonly<Record<string, number>>,
  withSum: boolean,
): string {
  const rows = named.map(([name, runs]) => ({ name, values: medianByName(runs.map(pick)) }));
  const processes = [...new Set(rows.flatMap(({ values }) => Object.keys(values)))];
  if (processes.length === 0) return '';
  return table(
    ['', ...processes, ...(withSum ? ['all'] : [])],
    rows.map(({ name, values }) => [
      name,
      ...processes.map((process) => figure(values[process] ?? Number.NaN)),
      ...(withSum ? [figure(Object.values(values).reduce((sum, value) => sum + value, 0))] : []),
    ]),
  );
}

function clickhouse(named: readonly [string, Run[]][]): string {
  const rows = named.flatMap(([name, runs]): Row[] => {
    const found = runs.flatMap((run) => run.clickhouse ?? []);
    const last = found.at(-1);
    if (last === undefined) return [];
    const caughtUp = found.map((one) => one.caughtUpSeconds ?? Number.POSITIVE_INFINITY);
    return [
      [
        name,
        figure(median(found.map((one) => one.behindEvents))),
        figure(median(found.map((one) => one.behindSeconds))),
        caughtUp.includes(Number.POSITIVE_INFINITY) ? 'never' : figure(Math.max(...caughtUp)),
        String(last.acknowledged),
        String(last.rows),
        found.every((one) => one.exact) ? 'yes' : 'NO',
      ],
    ];
  });
  if (rows.length === 0) return '';
  const head = [
    '',
    'behind at end',
    '= s',
    'caught up after s (worst)',
    'acknowledged so far',
    'rows',
    'equal each time',
  ];
  return table(head, rows);
}

function soakMemory(samples: NonNullable<Run['memory']>): string {
  const middle = samples[Math.floor(samples.length / 2)];
  const shown = [samples[0], middle, samples.at(-1)].flatMap((sample) => sample ?? []);
  const processes = Object.keys(shown[0]?.rssMiB ?? {});
  return table(
    ['after s', ...processes],
    shown.map(({ atSeconds, rssMiB }) => [
      figure(atSeconds),
      ...processes.map((process) => figure(rssMiB[process] ?? Number.NaN)),
    ]),
  );
}

function errors(named: readonly [string, Run[]][]): string {
  const list = (records: readonly Readonly<Record<string, number>>[]) => {
    const totals: Record<string, number> = {};
    for (const record of records) {
      for (const [name, count] of Object.entries(record)) totals[name] = (totals[name] ?? 0) + count;
    }
    return Object.entries(totals)
      .map(([name, count]) => `${name}: ${count}`)
      .join(', ');
  };
  return table(
    ['', 'errors', 'answers by status'],
    named.map(([name, runs]) => [
      name,
      list(runs.map((run) => run.errors)) || 'none',
      list(runs.map((run) => run.statuses ?? {})) || '–',
    ]),
  );
}
