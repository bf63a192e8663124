import type { Bench } from '../bench.ts';
import { closedLoad } from '../ingest/closed-loop.ts';
import { observeLoad } from '../ingest/observe-load.ts';
import { acceptedPerSecond, happened } from '../load/load-result.ts';
import type { Latency } from '../measure/latency.ts';
import type { Target } from '../service/stage.ts';
import type { FlagsOptions } from './flags-options.ts';
import { prepareEvaluation, type EvaluationSetup } from './prepare-evaluation.ts';

/** The figures of one stretch of bulk evaluations on one target. */
export interface EvaluationRun {
  requestsPerSecond: number;
  latency: Latency;
  /** CPU seconds per 1,000 requests by process. */
  cpuSecondsPerThousandRequests: Record<string, number>;
  /** CPUs that were busy with something else meanwhile: far from 0, the figures say little. */
  othersCpus: number;
  /** What went wrong, by kind; empty when nothing did. */
  errors: Record<string, number>;
}

/** The same load on both, one right after the other: what slows the machine for a while slows both. */
export interface EvaluationRound {
  bare: EvaluationRun;
  service: EvaluationRun;
}

export interface EvaluationFigures {
  connections: number;
  rounds: EvaluationRound[];
}

const CONNECTIONS = [64, 512];
const WARM_UP_SECONDS = 8;
const BARE_WARM_UP_SECONDS = 2;

/** Bulk evaluation over HTTP beside the bare server, at each number of connections. */
export async function measureEvaluation(bench: Bench, options: FlagsOptions): Promise<EvaluationFigures[]> {
  const setup = await prepareEvaluation(bench, options);
  bench.report('warming up');
  const warmUp = { connections: 64, wrkThreads: options.wrkThreads };
  await evaluate(bench, setup, 'bare', { ...warmUp, seconds: BARE_WARM_UP_SECONDS });
  await evaluate(bench, setup, 'service', { ...warmUp, seconds: WARM_UP_SECONDS });

  const figures: EvaluationFigures[] = [];
  for (const connections of CONNECTIONS) {
    const rounds: EvaluationRound[] = [];
    for (let round = 1; round <= options.rounds; round++) {
      const bare = await evaluate(bench, setup, 'bare', { ...options, connections });
      const service = await evaluate(bench, setup, 'service', { ...options, connections });
      rounds.push({ bare, service });
      const rates = [service, bare].map((run) => Math.round(run.requestsPerSecond));
      const ratio = (service.requestsPerSecond / bare.requestsPerSecond).toFixed(2);
      bench.report(
        `${connections} connections, round ${round} of ${options.rounds}: ${rates[0]} requests/s, bare ${rates[1]}, ratio ${ratio}`,
      );
    }
    figures.push({ connections, rounds });
  }
  return figures;
}

async function evaluate(
  { signal }: Bench,
  { stage, workload }: EvaluationSetup,
  target: Target,
  { connections, seconds, wrkThreads }: { connections: number; seconds: number; wrkThreads: number },
): Promise<EvaluationRun> {
  const load = closedLoad(stage, signal, { target, workload, connections, seconds, wrkThreads });
  const { result, cpuSeconds, othersCpus, restarted } = await observeLoad(stage, load, signal);
  const thousands = (result.answered - result.refused) / 1000;
  return {
    requestsPerSecond: acceptedPerSecond(result),
    latency: result.latency,
    cpuSecondsPerThousandRequests: Object.fromEntries(
      Object.entries(cpuSeconds).map(([name, used]) => [name, used / thousands]),
    ),
    othersCpus,
    errors: {
      ...happened({ ...result.errors, refused: result.refused }),
      ...Object.fromEntries(restarted.map((name) => [`${name} restarted`, 1])),
    },
  };
}
