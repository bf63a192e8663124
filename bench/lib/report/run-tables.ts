import type { CatchUp } from '../service/readers/row-watch.ts';
import type { ConnectionsFigures, Pair, Run } from '../run.ts';
import { increment, median, medianByName, medianLatency, medianRatio, type Latency } from '../figures/statistics.ts';
import { LATENCY_HEAD, latencyRow, section, table, tableOf, type Cell, type Row } from './table.ts';
import type { UsageSeen } from '../figures/usage.ts';

/* The tables that several cases print. */

/** Runs of the service by the name of what was measured: one per round. */
export type NamedRuns<R = Run> = readonly (readonly [name: string, runs: readonly R[]])[];

/** The medians of a figure over runs. */
export function medianOf<R>(runs: readonly R[], pick: (run: R) => number): number {
  return median(runs.map(pick));
}

/** The median of the rounds' ratios, as text. */
export function ratioOf<R>(rounds: readonly Pair<R>[], pick: (run: R) => number): string {
  return medianRatio(rounds.map(({ bare, service }) => ({ of: pick(service), to: pick(bare) }))).toFixed(2);
}

type Rated = Pick<Run, 'requestsPerSecond' | 'othersCpus'>;

export interface Comparison<B extends Rated | undefined = Rated | undefined, S extends Rated = Rated> {
  name: string;
  rounds: readonly Pair<B, S>[];
}

/** Comparisons named after their numbers of connections. */
export function namedComparisons<S extends Run>(figures: readonly ConnectionsFigures<S>[]): Comparison<Run, S>[] {
  return figures.map(({ connections, rounds }) => ({ name: `${connections} connections`, rounds }));
}

/** Request rates beside the bare server. @param extra title → cell of more columns */
export function comparisonTable<C extends Comparison>(
  comparisons: readonly C[],
  extra: Readonly<Record<string, (comparison: C) => Cell>> = {},
): string {
  const pairs = ({ rounds }: C): Pair<Rated>[] =>
    rounds.flatMap(({ bare, service }) => (bare === undefined ? [] : [{ bare, service }]));
  const rate = (run: Rated): number => run.requestsPerSecond;
  return tableOf<C>(comparisons, {
    '': ({ name }) => name,
    'bare req/s': (one) => medianOf(pairs(one), ({ bare }) => rate(bare)),
    'service req/s': (one) => medianOf(one.rounds, ({ service }) => rate(service)),
    ratio: (one) => (pairs(one).length === 0 ? '–' : ratioOf(pairs(one), rate)),
    ...extra,
    'CPUs of others': ({ rounds }) =>
      median(rounds.flatMap(({ bare, service }) => [bare, service].flatMap((run) => run?.othersCpus ?? []))),
  });
}

/** Medians of distributions, a row a name. Names without any are left out. */
export function latencyRows(named: NamedRuns<{ latency: Latency } | undefined>, shares?: readonly number[]): Row[] {
  return named.flatMap(([name, runs]) => {
    const latencies = runs.flatMap((run) => (run === undefined ? [] : [run.latency]));
    return latencies.length === 0 ? [] : [latencyRow(name, medianLatency(latencies), shares)];
  });
}

export function latencyTable(named: NamedRuns<{ latency: Latency } | undefined>): string {
  return table(LATENCY_HEAD, latencyRows(named));
}

/** Each round's run on both targets, under names of their own. */
export function bothTargets<R>(name: string, rounds: readonly Pair<R>[]): NamedRuns<R> {
  return [
    [`${name}: bare`, rounds.map(({ bare }) => bare)],
    [`${name}: service`, rounds.map(({ service }) => service)],
  ];
}

/** Medians by process, a column a process. */
export function perProcess<R>(
  named: NamedRuns<R>,
  pick: (run: R) => Readonly<Record<string, number>>,
  withSum = false,
): string {
  const rows = named.map(([name, runs]) => ({ name, values: medianByName(runs.map(pick)) }));
  const processes = [...new Set(rows.flatMap(({ values }) => Object.keys(values)))];
  if (processes.length === 0) return '';
  const columns = processes.map((process) => [process, (row: (typeof rows)[number]) => row.values[process] ?? NaN]);
  return tableOf(rows, {
    '': ({ name }) => name,
    ...Object.fromEntries(columns),
    ...(withSum ? { all: ({ values }) => Object.values(values).reduce((sum, value) => sum + value, 0) } : {}),
  });
}

/** How far ClickHouse was behind, and whether rows and acknowledged events are the same; nothing without ClickHouse. */
function clickhouseTable(named: NamedRuns<{ clickhouse?: CatchUp | undefined }>): string {
  const rows = named.flatMap(([name, runs]) => {
    const found = runs.flatMap((run) => run.clickhouse ?? []);
    const last = found.at(-1);
    return last === undefined ? [] : [{ name, found, last }];
  });
  if (rows.length === 0) return '';
  return tableOf(rows, {
    '': ({ name }) => name,
    'behind at end': ({ found }) => medianOf(found, (one) => one.behindEvents),
    '= s': ({ found }) => medianOf(found, (one) => one.behindSeconds),
    'caught up after s (worst)'({ found }) {
      const worst = Math.max(...found.map((one) => one.caughtUpSeconds ?? Number.POSITIVE_INFINITY));
      return worst === Number.POSITIVE_INFINITY ? 'never' : worst;
    },
    'acknowledged so far': ({ last }) => last.acknowledged,
    rows: ({ last }) => last.rows,
    'equal each time': ({ found }) => (found.every((one) => one.exact) ? 'yes' : 'NO'),
  });
}

export function errorTable(named: NamedRuns<Pick<Run, 'errors' | 'statuses'>>): string {
  const list = (records: readonly Readonly<Record<string, number>>[]): string => {
    const totals: Record<string, number> = {};
    for (const [name, count] of records.flatMap((record) => Object.entries(record))) increment(totals, name, count);
    return Object.entries(totals)
      .map(([name, count]) => `${name}: ${count}`)
      .join(', ');
  };
  return tableOf(named, {
    '': ([name]) => name,
    errors: ([, runs]) => list(runs.map((run) => run.errors)) || 'none',
    'answers by status': ([, runs]) => list(runs.map((run) => run.statuses ?? {})) || '–',
  });
}

/** CPU time by process. @param of what the runs' CPU seconds are per thousand of */
export function cpuSection(named: NamedRuns, of: 'events' | 'requests' = 'events'): string {
  return section(
    `CPU seconds per 1,000 ${of}`,
    perProcess(named, (run) => run.cpuSecondsPerThousandEvents, true),
  );
}

/** How late the runs of an open loop sent their requests, for `latencyRows`. */
export function lateRuns(runs: readonly (Pick<Run, 'lateness'> | undefined)[]): { latency: Latency }[] {
  return runs.flatMap((run) => (run?.lateness === undefined ? [] : [{ latency: run.lateness }]));
}

/** What ClickHouse holds, and what failed: the end of every report of loads. */
export function endSections(
  named: NamedRuns<Pick<Run, 'errors' | 'statuses'> & { clickhouse?: CatchUp | undefined }>,
): string[] {
  return [section('ClickHouse', clickhouseTable(named)), section('Errors', errorTable(named))];
}

/** CPU time, memory and errors of runs that watched processes. */
export function usageSections(named: NamedRuns<{ errors: Record<string, number>; usage: UsageSeen }>): string[] {
  return [
    section(
      'CPU seconds',
      perProcess(named, ({ usage }) => ({ ...usage.cpuSeconds, 'CPUs of others': usage.othersCpus })),
    ),
    section(
      'Highest resident memory, MiB',
      perProcess(named, ({ usage }) => usage.peakRssMiB),
    ),
    section('Errors', errorTable(named)),
  ];
}
