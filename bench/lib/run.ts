import type { Bench } from './bench.ts';
import { BIN_MS, type LoadResult } from './load/load-result.ts';
import { observeLoad, type MemorySample, type ObservedRun } from './load/observe-load.ts';
import { openLoop } from './load/open-loop.ts';
import { rowsPerSecond } from './service/readers/row-watch.ts';
import type { Stage, Target } from './stage.ts';
import { median, type Latency } from './figures/statistics.ts';
import type { Workload } from './load/traffic/workload.ts';
import { runWrk } from './load/wrk.ts';

/** The figures of one stretch of load on one target. */
export interface Run extends ObservedRun {
  connections: number;
  /** Successful answers, and the events in them, per second of load. */
  requestsPerSecond: number;
  eventsPerSecond: number;
  latency: Latency;
  /** How late the generator itself was; of the open loop only. */
  lateness?: Latency;
  /**
   * CPU seconds per 1,000 events (per 1,000 requests where they carry none) by process, from the begin of the load
   * until ClickHouse had caught up.
   */
  cpuSecondsPerThousandEvents: Record<string, number>;
  /** Answers by status; undefined when the target does not count them. */
  statuses?: Record<string, number>;
  /** Events sent, and rows that became visible, per second in each bin of the load. */
  eventsPerSecondByBin: number[];
  rowsPerSecondByBin?: number[];
  /** Memory over time; of long runs only. */
  memory?: MemorySample[];
}

interface Load {
  target: Target;
  workload: Workload;
  connections: number;
  seconds: number;
}

/** Measures a target under a closed loop: as fast as it answers. Throws on the signal. */
export function measureClosedLoop(
  stage: Stage,
  signal: AbortSignal,
  load: Load & { wrkThreads: number },
): Promise<Run> {
  return measureRun(stage, signal, load, (url, onPid) =>
    runWrk({
      url,
      // The bare server gets it, too: it is part of the request that is parsed.
      key: stage.service.key,
      bodiesFile: load.workload.bodiesFile,
      connections: load.connections,
      seconds: load.seconds,
      threads: load.wrkThreads,
      signal,
      onPid,
    }),
  );
}

const SETTLING_SECONDS = 3;

/** Latencies of requests due this early are left out. */
export function settlingSeconds(seconds: number): number {
  return Math.min(SETTLING_SECONDS, seconds / 4);
}

/** Measures a target under an open loop: at a fixed rate, whatever it answers. Throws on the signal. */
export function measureOpenLoop(
  stage: Stage,
  signal: AbortSignal,
  load: Load & { requestsPerSecond: number; memorySamples?: number },
): Promise<Run> {
  const { workload, requestsPerSecond, connections, seconds } = load;
  return measureRun(stage, signal, load, (url, onPid) => {
    const { key } = stage.service;
    const { bodiesFile } = workload;
    const settling = settlingSeconds(seconds);
    const spec = { url, key, bodiesFile, requestsPerSecond, seconds, settlingSeconds: settling, connections };
    return openLoop.use(signal, spec, (generator) => {
      onPid(generator.pid);
      return generator.ask('run');
    });
  });
}

type Result = LoadResult & Pick<Run, 'lateness' | 'statuses'>;

/** Puts a load on a target, waits until ClickHouse holds what was acknowledged, and works out the figures. */
async function measureRun(
  stage: Stage,
  signal: AbortSignal,
  load: Load & { memorySamples?: number },
  start: (url: string, onPid: (pid: number) => void) => Promise<Result>,
): Promise<Run> {
  const { target, workload, connections, seconds, memorySamples = 0 } = load;
  const { eventsPerRequest } = workload;
  const { result, observed, perThousand, memory, rows, statuses } = await observeLoad(stage, signal, {
    target,
    seconds,
    memorySamples,
    start: (onPid) => start(stage.baseUrlOf(target) + workload.path, onPid),
    eventsIn: ({ answered, refused }: Result) => (answered - refused) * eventsPerRequest,
  });
  const { answered, refused, latency, lateness, bins } = result;
  const accepted = answered - refused;
  const counted = result.statuses ?? statuses;
  return {
    ...observed({ ...result.errors, refused }),
    connections,
    requestsPerSecond: accepted / result.seconds,
    eventsPerSecond: (accepted * eventsPerRequest) / result.seconds,
    latency,
    ...(lateness === undefined ? {} : { lateness }),
    cpuSecondsPerThousandEvents: perThousand(accepted * (eventsPerRequest || 1)),
    ...(counted === undefined ? {} : { statuses: counted }),
    eventsPerSecondByBin: bins.map((count) => (count * eventsPerRequest * 1000) / BIN_MS),
    ...(rows && { rowsPerSecondByBin: rowsPerSecond(rows, result.startedMs, bins.length, BIN_MS) }),
    ...(memorySamples === 0 ? {} : { memory }),
  };
}

/** The same load on both, one right after the other: load from elsewhere slows both. */
export interface Pair<Bare, Service = Bare> {
  bare: Bare;
  service: Service;
}

/** Measures the reference and the service by turns, and reports each round. */
export async function pairedRounds<Bare, Service>(
  { report }: Bench,
  name: string,
  rounds: number,
  measure: { bare: () => Promise<Bare>; service: () => Promise<Service> },
  lineOf: (pair: Pair<Bare, Service>) => string,
): Promise<Pair<Bare, Service>[]> {
  const pairs: Pair<Bare, Service>[] = [];
  for (let round = 1; round <= rounds; round++) {
    const pair = { bare: await measure.bare(), service: await measure.service() };
    pairs.push(pair);
    report(`${name}, round ${round} of ${rounds}: ${lineOf(pair)}`);
  }
  return pairs;
}

/** The rounds at a number of connections. */
export interface ConnectionsFigures<Service extends Run = Run> {
  connections: number;
  rounds: Pair<Run, Service>[];
}

const CONNECTIONS = [64, 512];
const BARE_WARM_UP_SECONDS = 2;

/** Warms both targets up, then compares them at 64 and 512 connections. @param closed a closed loop on a target */
export async function compareAtConnections<Service extends Run>(
  bench: Bench,
  settings: { seconds: number; rounds: number; warmUpSeconds: number },
  closed: {
    bare: (connections: number, seconds: number) => Promise<Run>;
    service: (connections: number, seconds: number) => Promise<Service>;
  },
): Promise<ConnectionsFigures<Service>[]> {
  const { seconds, rounds, warmUpSeconds } = settings;
  const [fewest = 1] = CONNECTIONS;
  bench.report('warming up');
  await closed.bare(fewest, Math.min(BARE_WARM_UP_SECONDS, warmUpSeconds));
  await closed.service(fewest, warmUpSeconds);
  const figures: ConnectionsFigures<Service>[] = [];
  for (const connections of CONNECTIONS) {
    const measure = {
      bare: () => closed.bare(connections, seconds),
      service: () => closed.service(connections, seconds),
    };
    const name = `${connections} connections`;
    figures.push({ connections, rounds: await pairedRounds(bench, name, rounds, measure, rateLine) });
  }
  return figures;
}

type Rated = Pick<Run, 'requestsPerSecond'>;

/** Request rates of a round and their ratio. */
export function rateLine({ bare, service }: Pair<Rated | undefined, Rated>): string {
  const ours = `${Math.round(service.requestsPerSecond)} requests/s`;
  if (bare === undefined) return ours;
  const ratio = (service.requestsPerSecond / bare.requestsPerSecond).toFixed(2);
  return `${ours}, bare ${Math.round(bare.requestsPerSecond)}, ratio ${ratio}`;
}

/** Half of the service's median rate. */
export function halfRate(rounds: readonly { service: Rated }[]): number {
  return Math.max(1, Math.round(median(rounds.map(({ service }) => service.requestsPerSecond)) / 2));
}
