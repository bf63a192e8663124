import { acceptedPerSecond, BIN_MS, happened } from '../load/load-result.ts';
import type { Workload } from '../load/workload.ts';
import { catchUpOf, rowsPerSecond } from '../service/row-watch.ts';
import { observeLoad, type Observation } from './observe-load.ts';
import type { Stage, Target } from '../service/stage.ts';
import type { Run } from './run.ts';

/** A load generator at work on a target. */
export interface Load {
  target: Target;
  workload: Workload;
  connections: number;
  seconds: number;
  /** Starts it; it tells its process id. */
  start: (onPid: (pid: number) => void) => Promise<Observation['result']>;
  /** Memory samples to keep over the load. */
  memorySamples: number;
}

/** Puts a load on a target, waits until ClickHouse holds what was acknowledged, and draws the figures up. */
export async function measureRun(stage: Stage, load: Load, signal: AbortSignal): Promise<Run> {
  const seen = await observeLoad(stage, load, signal);
  const { result } = seen;
  const { eventsPerRequest } = load.workload;
  const requestsPerSecond = acceptedPerSecond(result);
  const statuses = result.statuses ?? seen.statuses;
  return {
    target: load.target,
    connections: load.connections,
    seconds: load.seconds,
    requestsPerSecond,
    eventsPerSecond: requestsPerSecond * eventsPerRequest,
    latency: result.latency,
    ...(result.lateness === undefined ? {} : { lateness: result.lateness }),
    cpuSecondsPerThousandEvents: perThousand(seen.cpuSeconds, (result.answered - result.refused) * eventsPerRequest),
    othersCpus: seen.othersCpus,
    rssMiB: seen.rssMiB,
    errors: {
      ...happened({ ...result.errors, refused: result.refused }),
      // Then the figures by process are not to be trusted.
      ...Object.fromEntries(seen.restarted.map((name) => [`${name} restarted`, 1])),
    },
    ...(statuses === undefined ? {} : { statuses }),
    eventsPerSecondByBin: result.bins.map((count) => (count * eventsPerRequest * 1000) / BIN_MS),
    ...clickhouseFigures(stage, load, seen),
    ...(load.memorySamples === 0 ? {} : { memory: seen.memory }),
  };
}

function clickhouseFigures(
  { ledger }: Stage,
  { workload, seconds }: Load,
  { rows, result }: Observation,
): Pick<Run, 'clickhouse' | 'rowsPerSecondByBin'> {
  if (rows === undefined) return {};
  const endMs = result.startedMs + seconds * 1000;
  const eventsPerSecond = acceptedPerSecond(result) * workload.eventsPerRequest;
  return {
    clickhouse: catchUpOf(rows, ledger.acknowledged, endMs, eventsPerSecond),
    rowsPerSecondByBin: rowsPerSecond(rows, result.startedMs, result.bins.length, BIN_MS),
  };
}

function perThousand(cpuSeconds: Readonly<Record<string, number>>, events: number): Record<string, number> {
  return Object.fromEntries(Object.entries(cpuSeconds).map(([name, seconds]) => [name, (seconds * 1000) / events]));
}
