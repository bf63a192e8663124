import type { EvaluationFigures } from '../flags/evaluation.ts';
import type { Edit, ReevaluationRound } from '../flags/reevaluation.ts';
import type { UpkeepFigures } from '../flags/upkeep.ts';
import { latencyAt, medianLatency, type Latency } from '../measure/latency.ts';
import { median, medianByName, medianRatio } from '../measure/statistics.ts';
import { clickhouseTable, errorTable, perProcess, type NamedRuns } from './run-tables.ts';
import { latencyRow, section } from './sections.ts';
import { figure, table, type Row } from './table.ts';

/** Bulk evaluation beside the bare server. */
export function evaluationTables(figures: readonly EvaluationFigures[]): string {
  const both = ({ connections, rounds }: EvaluationFigures) =>
    (['bare', 'service'] as const).map((target) => ({
      name: `${connections} connections: ${target}`,
      runs: rounds.map((round) => round[target]),
    }));
  const rows = figures.flatMap(both);
  const cpu = rows.map(({ name, runs }) => ({
    name,
    used: medianByName(runs.map((run) => run.cpuSecondsPerThousandRequests)),
  }));
  const processes = [...new Set(cpu.flatMap(({ used }) => Object.keys(used)))];
  return [
    section('Bulk evaluation (medians of the rounds; ratio: of the pairs)', evaluationRates(figures)),
    section(
      'Latency, ms (closed loop as wrk corrects it)',
      table(
        LATENCY_HEAD,
        rows.map(({ name, runs }) => latencyRow(name, medianLatency(runs.map(({ latency }) => latency)))),
      ),
    ),
    section(
      'CPU, µs per request',
      table(
        ['', ...processes],
        cpu.map(({ name, used }) => [
          name,
          ...processes.map((process) => figure((used[process] ?? Number.NaN) * US_PER_REQUEST)),
        ]),
      ),
    ),
    section(
      'Errors',
      table(
        ['', 'errors'],
        rows.map(({ name, runs }) => [name, errorsOf(runs.map((run) => run.errors))]),
      ),
    ),
  ].join('\n');
}

const LATENCY_HEAD = ['', 'p50', 'p99', 'p99.9', 'max'];
/** Of one request or event, from CPU seconds per 1,000 of them. */
const US_PER_REQUEST = 1000;

function evaluationRates(figures: readonly EvaluationFigures[]): string {
  return table(
    ['', 'bare req/s', 'service req/s', 'ratio', 'CPUs lost to others'],
    figures.map(({ connections, rounds }) => [
      `${connections} connections`,
      figure(median(rounds.map(({ bare }) => bare.requestsPerSecond))),
      figure(median(rounds.map(({ service }) => service.requestsPerSecond))),
      medianRatio(
        rounds.map(({ bare, service }) => ({ of: service.requestsPerSecond, to: bare.requestsPerSecond })),
      ).toFixed(2),
      figure(median(rounds.flatMap(({ bare, service }) => [bare.othersCpus, service.othersCpus]))),
    ]),
  );
}

function errorsOf(records: readonly Readonly<Record<string, number>>[]): string {
  const listed = records.flatMap((record) => Object.entries(record).map(([name, count]) => `${name}: ${count}`));
  return listed.join(', ') || 'none';
}

/** Single events with segments kept up to date. */
export function upkeepTables(figures: readonly UpkeepFigures[]): string {
  const named: NamedRuns = figures.map(({ segments, runs }) => [`${segments} segments`, runs]);
  const serviceUs = (runs: UpkeepFigures['runs']): number =>
    median(runs.map((run) => (run.cpuSecondsPerThousandEvents['service'] ?? Number.NaN) * US_PER_REQUEST));
  const withNone = serviceUs(figures[0]?.runs ?? []);
  return [
    section(
      'Single events, 512 connections (medians of the rounds)',
      table(
        ['', 'events/s', "service's CPU µs per event", 'more than with none', 'CPUs lost to others'],
        figures.map(({ segments, runs }) => [
          `${segments} segments`,
          figure(median(runs.map((run) => run.eventsPerSecond))),
          figure(serviceUs(runs)),
          figure(serviceUs(runs) - withNone),
          figure(median(runs.map((run) => run.othersCpus))),
        ]),
      ),
    ),
    section(
      'Latency, ms (closed loop as wrk corrects it)',
      table(
        LATENCY_HEAD,
        named.map(([name, runs]) => latencyRow(name, medianLatency(runs.map(({ latency }) => latency)))),
      ),
    ),
    section(
      'CPU seconds per 1,000 events',
      perProcess(named, (run) => run.cpuSecondsPerThousandEvents, true),
    ),
    section('ClickHouse', clickhouseTable(named)),
    section('Errors', errorTable(named)),
  ].join('\n');
}

/** Traffic alone and while players are evaluated again. */
export function reevaluationTables(rounds: readonly ReevaluationRound[]): string {
  const named: NamedRuns = [
    ['alone', rounds.map(({ before }) => before)],
    ['during re-evaluation', rounds.map(({ during }) => during)],
  ];
  const lateness = rounds.flatMap(({ during }) => during.lateness ?? []);
  return [
    section(
      'Latency of single events, ms (open loop: from the moment a request was due, after 3 s to settle)',
      table(LATENCY_HEAD, [
        ...named.map(([name, runs]) => latencyRow(name, medianLatency(runs.map(({ latency }) => latency)))),
        latencyRow('  of it, sent late', medianLatency(lateness)),
        ratioRow(rounds),
      ]),
    ),
    section('Edits', editTable(rounds.flatMap(({ edits }) => edits))),
    section(
      'CPU seconds per 1,000 events',
      perProcess(named, (run) => run.cpuSecondsPerThousandEvents, true),
    ),
    section(
      'CPUs lost to others',
      named.map(([name, runs]) => `${name}: ${figure(median(runs.map((run) => run.othersCpus)))}`).join(', '),
    ),
    section('ClickHouse', clickhouseTable(named)),
    section('Errors', errorTable(named)),
  ].join('\n');
}

function ratioRow(rounds: readonly ReevaluationRound[]): Row {
  const ratio = (of: (latency: Latency) => number): string =>
    `× ${medianRatio(rounds.map(({ before, during }) => ({ of: of(during.latency), to: of(before.latency) }))).toFixed(2)}`;
  return [
    'during / alone, of the pairs',
    ...[0.5, 0.99, 0.999].map((share) => ratio((one) => latencyAt(one, share))),
    ratio((one) => one.maxMs),
  ];
}

function editTable(edits: readonly Edit[]): string {
  const seconds = edits.map((edit) => edit.seconds);
  return table(
    ['', 'players', 'median s until done', 'fastest', 'slowest', 'players/s'],
    [
      [
        `${edits.length} edits`,
        figure(median(edits.map((edit) => edit.players))),
        figure(median(seconds)),
        figure(Math.min(...seconds)),
        figure(Math.max(...seconds)),
        figure(median(edits.map((edit) => edit.players / edit.seconds))),
      ],
    ],
  );
}
