import type { Run } from '../ingest/run.ts';
import { median, medianByName } from '../measure/statistics.ts';
import { figure, table, type Row } from './table.ts';

/** Runs of the service under the name of what was measured: one per round. */
export type NamedRuns<R = Run> = readonly (readonly [name: string, runs: readonly R[]])[];

/** One column per process. */
export function perProcess<R>(
  named: NamedRuns<R>,
  pick: (run: R) => Readonly<Record<string, number>>,
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

export function clickhouseTable(named: NamedRuns<{ clickhouse?: Run['clickhouse'] | undefined }>): string {
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

export function soakMemory(samples: NonNullable<Run['memory']>): string {
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

export function errorTable(named: NamedRuns<Pick<Run, 'errors' | 'statuses'>>): string {
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
