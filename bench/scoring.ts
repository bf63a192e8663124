import { SHIPPED_MODEL } from '../src/settings/config.ts';
import { loadModel } from '../src/scoring/load-model.ts';
import type { ScoreFeatures } from '../core/vocabulary/records/score-record.ts';
import { BenchError, temporaryFolder, type Bench } from './lib/bench.ts';
import { create } from './lib/load/calls.ts';
import { count, defineCase, duration, optional } from './lib/case.ts';
import { readMetrics } from './lib/figures/metrics.ts';
import {
  compareAtConnections,
  halfRate,
  measureClosedLoop,
  measureOpenLoop,
  type ConnectionsFigures,
  type Pair,
  type Run,
} from './lib/run.ts';
import {
  bothTargets,
  comparisonTable,
  cpuSection,
  endSections,
  lateRuns,
  latencyRows,
  medianOf,
  namedComparisons,
  type NamedRuns,
} from './lib/report/run-tables.ts';
import { startLocalService, type LocalServiceOptions, type Service } from './lib/service/service.ts';
import { createStage, type Stage, type Target } from './lib/stage.ts';
import { times } from './lib/figures/statistics.ts';
import { figure, section, table, tableOf } from './lib/report/table.ts';
import { createWorkload, type Workload } from './lib/load/traffic/workload.ts';

/** A run of the service, and the model's share of it. */
interface ScoringRun extends Run {
  /** Microseconds of one install in the model, and that as a share of the service's CPU time. */
  inferenceUs: number;
  inferenceShare: number;
  /** Installs in one run of the model, on average. */
  meanBatchRows: number;
}

interface ScoringFigures {
  closed: ConnectionsFigures<ScoringRun>[];
  open: { requestsPerSecond: number } & Pair<Run, ScoringRun>;
}

const SCORE = '/v1/scoring/first-user-conversion';
const BARE_OPEN_SECONDS = 5;

export const scoring = defineCase({
  name: 'scoring',
  description:
    'Measure scoring at 64 and 512 connections, interleaved with a bare uWebSockets.js server that parses the same ' +
    'bodies and answers as much; latencies at half that rate; the share of inference; records against rows in ClickHouse.',
  needsWrk: () => true,
  options: {
    seconds: duration('--seconds <time>', 'length of one run', 10),
    rounds: count('--rounds <n>', 'runs of each; the report shows medians', 3),
    warmUpSeconds: duration('--warm-up <time>', 'length of the warm-up', 10),
    installs: count('--installs <n>', 'different bodies', 5_000),
    openSeconds: duration('--open-seconds <time>', 'length of the open loop', 20),
    openConnections: count('--open-connections <n>', 'connections of the open loop', 512),
    openRequestsPerSecond: optional(
      count('--rate <n>', 'requests/s of the open loop (default: half of the rate at 512 connections)', 1),
    ),
    wrkThreads: count('--threads <n>', 'threads of wrk', 1),
  },
  async run(bench, settings, save) {
    const { signal, report } = bench;
    const { openSeconds, openConnections, wrkThreads } = settings;
    const { stage, workload } = await prepareScoring(bench, settings);
    const closedOn = (target: Target) => (connections: number, seconds: number) =>
      measureClosedLoop(stage, signal, { target, workload, connections, seconds, wrkThreads });
    const onService = closedOn('service');
    const closed = await compareAtConnections(bench, settings, {
      bare: closedOn('bare'),
      service: (...load) => withInference(stage.service, () => onService(...load)),
    });

    const requestsPerSecond = settings.openRequestsPerSecond ?? halfRate(closed.at(-1)?.rounds ?? []);
    report(`open loop: ${requestsPerSecond} requests/s for ${openSeconds} s`);
    const load = { workload, requestsPerSecond, connections: openConnections };
    const open = (target: Target, seconds: number): Promise<Run> =>
      measureOpenLoop(stage, signal, { ...load, target, seconds });
    const bare = await open('bare', Math.min(BARE_OPEN_SECONDS, openSeconds));
    const service = await withInference(stage.service, () => open('service', openSeconds));
    const figures: ScoringFigures = { closed, open: { requestsPerSecond, bare, service } };
    save({ results: { figures }, tables: scoringTables(figures) });
  },
});

/** Starts the service, checks its scores against the golden rows, and starts a bare server that answers as much. */
export async function prepareScoring(
  bench: Bench,
  options: LocalServiceOptions & { installs: number },
): Promise<{ stage: Stage; workload: Workload }> {
  const started = await startLocalService(bench, options);
  const { countRows } = started;
  const service: Service = { ...started, countRows: countRows && (() => countRows('scores')) };
  const { probes, answerBytes } = await probe(service);
  const bodies = times(options.installs, scoreBody);
  bench.report(`${probes} golden rows score as they should; answers of ${answerBytes} bytes`);
  const stage = await createStage(bench, service, { [SCORE]: answerBytes }, probes);
  return { stage, workload: createWorkload(temporaryFolder(bench, 'bodies'), SCORE, 1, bodies) };
}

/** An install like those the model was trained on: most players do little, a few do much. */
function scoreBody(turn: number): string {
  const keenness = ((turn * 37) % 100) / 100;
  const features: ScoreFeatures = {
    loot_distinct_types: Math.floor(8 * keenness ** 3),
    sess_duration_total: Math.round(18_000 * keenness) / 10,
    match_avg_fight_time: ((turn * 7) % 2_000) / 10,
    match_wins: Math.floor(10 * keenness ** 2),
    install_hour: turn % 24,
    vpay_count: Math.floor(25 * keenness ** 2),
  };
  return JSON.stringify({ device_id: `bench-${String(turn).padStart(8, '0')}`, ...features });
}

/** How far a score may be from the golden one. */
const TOLERANCE = 1e-6;

/** Scores the golden rows of the shipped model. @returns their number, and the mean size of the answers */
async function probe(service: Service): Promise<{ probes: number; answerBytes: number }> {
  const shipped = await loadModel(SHIPPED_MODEL);
  if (shipped.kind !== 'loaded') throw new BenchError(`the shipped model cannot be loaded: ${JSON.stringify(shipped)}`);
  const { golden_rows: rows } = shipped.model.manifest;
  let sumBytes = 0;
  for (const { name, features, score } of rows) {
    const answer = await create(service, SCORE, { device_id: 'bench-golden', ...features });
    sumBytes += Buffer.byteLength(answer);
    const { data }: { data: { score: number } } = JSON.parse(answer);
    if (Math.abs(data.score - score) > TOLERANCE) {
      throw new BenchError(`the service scores the golden row "${name}" ${data.score}, not ${score}`);
    }
  }
  return { probes: rows.length, answerBytes: Math.round(sumBytes / rows.length) };
}

async function withInference(service: Service, measure: () => Promise<Run>): Promise<ScoringRun> {
  const before = await readMetrics(service);
  const run = await measure();
  const after = await readMetrics(service);
  const added = (name: string): number => after(name) - before(name);
  const rows = added('scoring_batch_rows_sum');
  const inferenceUs = (added('scoring_inference_seconds_sum') * 1e6) / rows;
  // CPU seconds per 1,000 requests are milliseconds per request.
  const serviceUs = (run.cpuSecondsPerThousandEvents['service'] ?? Number.NaN) * 1000;
  return {
    ...run,
    inferenceUs,
    inferenceShare: inferenceUs / serviceUs,
    meanBatchRows: rows / added('scoring_batch_rows_count'),
  };
}

const SHARES = [0.5, 0.95, 0.99, 0.999];

function scoringTables({ closed, open }: ScoringFigures): string {
  const openName = `open loop, ${figure(open.requestsPerSecond)} requests/s`;
  const comparisons = namedComparisons(closed);
  const named: NamedRuns<ScoringRun> = [
    ...comparisons.map(({ name, rounds }) => [name, rounds.map(({ service }) => service)] as const),
    [openName, [open.service]],
  ];
  return [
    section('Scoring (medians of the rounds; ratio: of the pairs)', comparisonTable(comparisons)),
    section(
      'Latency, ms (closed loop as wrk corrects it; open loop from the moment a request was due)',
      table(
        ['', 'p50', 'p95', 'p99', 'p99.9', 'max'],
        latencyRows(
          [
            ...comparisons.flatMap(({ name, rounds }) => bothTargets<Run>(name, rounds)),
            ...bothTargets<Run>(openName, [open]),
            ['  sent late', lateRuns([open.service])],
          ],
          SHARES,
        ),
      ),
    ),
    section(
      'The model',
      tableOf(named, {
        '': ([name]) => name,
        'rows a run': ([, runs]) => medianOf(runs, (run) => run.meanBatchRows),
        'µs a row': ([, runs]) => medianOf(runs, (run) => run.inferenceUs),
        "of the service's CPU": ([, runs]) => `${(100 * medianOf(runs, (run) => run.inferenceShare)).toFixed(1)} %`,
      }),
    ),
    cpuSection(named, 'requests'),
    ...endSections(named),
  ].join('\n');
}
