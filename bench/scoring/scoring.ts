import type { Bench } from '../bench.ts';
import { measureClosedLoop } from '../ingest/closed-loop.ts';
import { measureOpenLoop } from '../ingest/open-loop.ts';
import type { Run } from '../ingest/run.ts';
import { median } from '../measure/statistics.ts';
import { readMetrics } from '../service/read-metrics.ts';
import type { Service } from '../service/service.ts';
import { prepareScoring } from './prepare-scoring.ts';
import type { ScoringOptions } from './scoring-options.ts';

/** A run of the service, and what the model took of it. */
export interface ScoringRun extends Run {
  /** Microseconds of one install in the model, and that as a share of the service's CPU time. */
  inferenceUs: number;
  inferenceShare: number;
  /** Installs in one run of the model, on average. */
  meanBatchRows: number;
}

/** The same load on both, one right after the other: what slows the machine for a while slows both. */
export interface ScoringRound {
  bare: Run;
  service: ScoringRun;
}

export interface ScoringFigures {
  closed: { connections: number; rounds: ScoringRound[] }[];
  open: { requestsPerSecond: number } & ScoringRound;
}

const CONNECTIONS = [64, 512];
const BARE_WARM_UP_SECONDS = 2;
/** A short run of the open loop on the bare server tells the generator's share. */
const FLOOR_SECONDS = 5;

/** Scoring over HTTP beside the bare server, at each number of connections, then at half that rate. */
export async function measureScoring(bench: Bench, options: ScoringOptions): Promise<ScoringFigures> {
  const { signal, report } = bench;
  const { stage, workload } = await prepareScoring(bench, options);
  const closed = (target: Run['target'], connections: number, seconds: number): Promise<Run> =>
    measureClosedLoop(stage, signal, { target, workload, connections, seconds, wrkThreads: options.wrkThreads });

  report('warming up');
  await closed('bare', 64, Math.min(BARE_WARM_UP_SECONDS, options.warmUpSeconds));
  await closed('service', 64, options.warmUpSeconds);
  const figures: ScoringFigures['closed'] = [];
  for (const connections of CONNECTIONS) {
    const rounds: ScoringRound[] = [];
    for (let round = 1; round <= options.rounds; round++) {
      const bare = await closed('bare', connections, options.seconds);
      const service = await withInference(stage.service, () => closed('service', connections, options.seconds));
      rounds.push({ bare, service });
      const ratio = (service.requestsPerSecond / bare.requestsPerSecond).toFixed(2);
      const rates = [service, bare].map((run) => Math.round(run.requestsPerSecond));
      report(
        `${connections} connections, round ${round} of ${options.rounds}: ${rates[0]} requests/s, bare ${rates[1]}, ratio ${ratio}`,
      );
    }
    figures.push({ connections, rounds });
  }

  const requestsPerSecond = options.openRequestsPerSecond ?? halfOf(figures.at(-1)?.rounds ?? []);
  report(`open loop: ${requestsPerSecond} requests/s for ${options.openSeconds} s`);
  const loop = { workload, requestsPerSecond, connections: options.openConnections };
  const seconds = options.openSeconds;
  const floorSeconds = Math.min(FLOOR_SECONDS, seconds);
  const bare = await measureOpenLoop(stage, signal, { ...loop, target: 'bare', seconds: floorSeconds });
  const service = await withInference(stage.service, () =>
    measureOpenLoop(stage, signal, { ...loop, target: 'service', seconds }),
  );
  return { closed: figures, open: { requestsPerSecond, bare, service } };
}

function halfOf(rounds: readonly ScoringRound[]): number {
  return Math.max(1, Math.round(median(rounds.map(({ service }) => service.requestsPerSecond)) / 2));
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
