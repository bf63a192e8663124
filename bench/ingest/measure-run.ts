import { acceptedPerSecond, BIN_MS, happened, type LoadResult } from '../load/load-result.ts';
import type { Workload } from '../load/workload.ts';
import { catchUpOf, rowsPerSecond } from '../service/row-watch.ts';
import { observeLoad, type Observation, type ObservedLoad } from './observe-load.ts';
import type { Stage } from '../service/stage.ts';
import type { Run } from './run.ts';

type Result = LoadResult & Pick<Run, 'lateness' | 'statuses'>;

/** A load generator at work on a target. */
export interface Load extends ObservedLoad<Result> {
  workload: Workload;
  connections: number;
}

/** Events in the requests that were answered with success. */
export function eventsIn({ eventsPerRequest }: Workload): (result: Result) => number {
  return ({ answered, refused }) => (answered - refused) * eventsPerRequest;
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
  { rows, result }: Observation<Result>,
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
