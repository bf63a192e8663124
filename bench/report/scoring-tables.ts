import type { Run } from '../ingest/run.ts';
import { latencyAt, medianLatency, type Latency } from '../measure/latency.ts';
import { median, medianRatio } from '../measure/statistics.ts';
import type { ScoringFigures, ScoringRun } from '../scoring/scoring.ts';
import { clickhouseTable, errorTable, perProcess, type NamedRuns } from './run-tables.ts';
import { section } from './sections.ts';
import { figure, table, type Row } from './table.ts';

/** Scoring beside the bare server. */
export function scoringTables({ closed, open }: ScoringFigures): string {
  const openName = `open loop, ${figure(open.requestsPerSecond)} requests/s`;
  const service: NamedRuns<ScoringRun> = [
    ...closed.map(
      ({ connections, rounds }) => [`${connections} connections`, rounds.map((round) => round.service)] as const,
    ),
    [openName, [open.service]],
  ];
  return [
    section(
      'Scoring (medians of the rounds; ratio: of the pairs)',
      table(
        ['', 'bare req/s', 'service req/s', 'ratio', 'CPUs lost to others'],
        closed.map(({ connections, rounds }) => [
          `${connections} connections`,
          figure(median(rounds.map(({ bare }) => bare.requestsPerSecond))),
          figure(median(rounds.map((round) => round.service.requestsPerSecond))),
          medianRatio(
            rounds.map((round) => ({ of: round.service.requestsPerSecond, to: round.bare.requestsPerSecond })),
          ).toFixed(2),
          figure(median(rounds.flatMap((round) => [round.bare.othersCpus, round.service.othersCpus]))),
        ]),
      ),
    ),
    section(
      'Latency, ms (closed loop as wrk corrects it; open loop from the moment a request was due)',
      table(
        ['', 'p50', 'p95', 'p99', 'p99.9', 'max'],
        [
          ...closed.flatMap(({ connections, rounds }) => [
            latencyRow(`${connections} connections: bare`, latencyOf(rounds.map(({ bare }) => bare))),
            latencyRow(`${connections} connections: service`, latencyOf(rounds.map((round) => round.service))),
          ]),
          latencyRow(`${openName}: bare`, open.bare.latency),
          latencyRow(`${openName}: service`, open.service.latency),
          ...(open.service.lateness === undefined ? [] : [latencyRow('  of it, sent late', open.service.lateness)]),
        ],
      ),
    ),
    section('The model', inference(service)),
    section(
      'CPU seconds per 1,000 requests',
      perProcess(service, (run) => run.cpuSecondsPerThousandEvents, true),
    ),
    section('ClickHouse: records and rows', clickhouseTable(service)),
    section('Errors', errorTable(service)),
  ].join('\n');
}

function inference(named: NamedRuns<ScoringRun>): string {
  return table(
    ['', 'rows a run', 'µs a row', "of the service's CPU"],
    named.map(([name, runs]) => [
      name,
      figure(median(runs.map((run) => run.meanBatchRows))),
      figure(median(runs.map((run) => run.inferenceUs))),
      `${(100 * median(runs.map((run) => run.inferenceShare))).toFixed(1)} %`,
    ]),
  );
}

function latencyOf(runs: readonly Run[]): Latency {
  return medianLatency(runs.map(({ latency }) => latency));
}

function latencyRow(name: string, of: Latency): Row {
  return [name, ...[0.5, 0.95, 0.99, 0.999].map((share) => figure(latencyAt(of, share))), figure(of.maxMs)];
}
