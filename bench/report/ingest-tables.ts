import type { Comparison } from '../ingest/ingest-phases.ts';
import type { IngestFigures } from '../ingest/ingest.ts';
import type { Run } from '../ingest/run.ts';
import { medianLatency } from '../measure/latency.ts';
import { median, medianRatio } from '../measure/statistics.ts';
import { clickhouseTable, errorTable, perProcess, soakMemory, type NamedRuns } from './run-tables.ts';
import { latencyRow, section } from './sections.ts';
import { figure, table, type Row } from './table.ts';

/** Everything that was measured, as text for a terminal. */
export function ingestTables(figures: IngestFigures): string {
  const { sustained, open, soak, total, stream } = figures;
  const comparisons = comparisonsOf(figures);
  const long = [
    sustained && { name: `batches, ${sustained.seconds} s`, run: sustained },
    open && { name: 'open loop', run: open.service },
    soak && { name: `soak, ${soak.seconds} s`, run: soak },
  ].flatMap((one) => one ?? []);
  const byName: NamedRuns = [
    ...comparisons.map(({ name, rounds }) => [name, rounds.map(({ service }) => service)] as const),
    ...long.map(({ name, run }) => [name, [run]] as const),
  ];
  return [
    section('Throughput (medians of the rounds; ratio: of the pairs)', throughput(comparisons, sustained)),
    section(
      'Latency, ms (closed loop as wrk corrects it; open loop from the moment a request was due, after 3 s to settle)',
      latency(figures, comparisons),
    ),
    section(
      'CPU seconds per 1,000 events',
      perProcess(byName, (run) => run.cpuSecondsPerThousandEvents, true),
    ),
    section(
      'Resident memory at the end, MiB',
      perProcess(byName, (run) => run.rssMiB, false),
    ),
    section('ClickHouse', clickhouseTable(byName)),
    ...(soak?.memory === undefined ? [] : [section('Memory over the soak, MiB', soakMemory(soak.memory))]),
    section('Errors', errorTable(byName)),
    total === undefined
      ? ''
      : `In the end: ${total.acknowledged} events acknowledged, ${total.rows} rows in ClickHouse`,
    `Stream reader: ${figure(stream.messages)} messages, ${stream.interruptions} interruptions`,
  ]
    .filter((part) => part !== '')
    .join('\n');
}

function comparisonsOf({ few, many, batches }: IngestFigures): Comparison[] {
  return [few, many, batches].flatMap((one) => one ?? []);
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
      figure(median(rounds.flatMap(({ bare, service }) => [bare, service].flatMap((run) => run?.othersCpus ?? [])))),
    ];
  });
  if (sustained !== undefined) {
    const { seconds, requestsPerSecond, eventsPerSecond, othersCpus } = sustained;
    rows.push([
      `batches, ${seconds} s`,
      '',
      figure(requestsPerSecond),
      '',
      figure(eventsPerSecond),
      figure(othersCpus),
    ]);
  }
  return table(['', 'bare req/s', 'service req/s', 'ratio', 'events/s', 'CPUs lost to others'], rows);
}

function latency({ open, soak, sustained }: IngestFigures, comparisons: readonly Comparison[]): string {
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
