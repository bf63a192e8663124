import { acceptedPerSecond, BIN_MS, happened, type LoadResult } from '../load/load-result.ts';
import type { Workload } from '../load/workload.ts';
import { createUsageMeter } from '../measure/usage-meter.ts';
import { addedBetween, readStatusCounts } from '../service/status-counts.ts';
import { catchUpOf, rowsPerSecond, watchRows } from '../service/row-watch.ts';
import type { IngestSetup } from './prepare.ts';
import type { MemorySample, Run } from './run.ts';

/** A load generator at work on the target; it tells its process id. */
export interface Load {
  target: Run['target'];
  workload: Workload;
  connections: number;
  seconds: number;
  start: (
    onPid: (pid: number) => void,
  ) => Promise<LoadResult & { lateness?: Run['latency']; statuses?: Record<string, number> }>;
  /** Memory samples to keep over the load; none when left out. */
  memorySamples?: number;
}

/** How long ClickHouse may take to catch up before that is given up and said. */
const CATCH_UP_TIMEOUT_MS = 120_000;
/** How often processes are looked at: a generator that ends takes no more than this of its CPU time with it. */
const USAGE_MS = 100;
/** Rows are counted more often from this long before the end of a load. */
const HURRY_BEFORE_MS = 300;

/** Puts a load on a target, waits until ClickHouse holds what was acknowledged, and draws the figures up. */
export async function measureRun(setup: IngestSetup, load: Load): Promise<Run> {
  const { service, ledger } = setup;
  const onService = load.target === 'service';
  const { eventsPerRequest } = load.workload;
  const statusesBefore = onService ? await readStatusCounts(service) : undefined;
  const watch = onService && service.countRows !== undefined ? watchRows(service.countRows) : undefined;
  const meter = createUsageMeter(setup.pidsOf(load.target));
  const memory: MemorySample[] = [];
  const begunMs = performance.now();
  const memoryEveryMs = (load.seconds * 1000) / (load.memorySamples ?? 1);
  const reading = setInterval(() => {
    meter.read();
    const atMs = performance.now() - begunMs;
    if (load.memorySamples !== undefined && atMs >= memory.length * memoryEveryMs) {
      memory.push({ atSeconds: atMs / 1000, rssMiB: meter.rssMiB() });
    }
  }, USAGE_MS);
  const hurrying = setTimeout(() => watch?.hurry(), load.seconds * 1000 - HURRY_BEFORE_MS);

  try {
    const result = await load.start((pid) => meter.add('generator', pid));
    watch?.hurry();
    const accepted = result.answered - result.refused;
    if (onService) ledger.acknowledged += accepted * eventsPerRequest;
    await watch?.reached(ledger.acknowledged, CATCH_UP_TIMEOUT_MS);
    meter.read();
    const statusesAfter = statusesBefore === undefined ? undefined : await readStatusCounts(service);
    const statuses =
      result.statuses ??
      (statusesBefore === undefined || statusesAfter === undefined
        ? undefined
        : addedBetween(statusesBefore, statusesAfter));
    const eventsPerSecond = acceptedPerSecond(result) * eventsPerRequest;
    const thousands = (accepted * eventsPerRequest) / 1000;
    return {
      target: load.target,
      connections: load.connections,
      seconds: load.seconds,
      requestsPerSecond: acceptedPerSecond(result),
      eventsPerSecond,
      latency: result.latency,
      ...(result.lateness === undefined ? {} : { lateness: result.lateness }),
      cpuSecondsPerThousandEvents: mapValues(meter.cpuSeconds(), (seconds) => seconds / thousands),
      rssMiB: meter.rssMiB(),
      errors: happened({ ...result.errors, refused: result.refused }),
      ...(statuses === undefined ? {} : { statuses }),
      eventsPerSecondByBin: result.bins.map((count) => (count * eventsPerRequest * 1000) / BIN_MS),
      ...(watch === undefined
        ? {}
        : {
            clickhouse: catchUpOf(
              watch.samples,
              ledger.acknowledged,
              result.startedMs + load.seconds * 1000,
              eventsPerSecond,
            ),
            rowsPerSecondByBin: rowsPerSecond(watch.samples, result.startedMs, result.bins.length, BIN_MS),
          }),
      ...(load.memorySamples === undefined ? {} : { memory }),
    };
  } finally {
    clearInterval(reading);
    clearTimeout(hurrying);
    await watch?.stop();
  }
}

function mapValues(record: Readonly<Record<string, number>>, map: (value: number) => number): Record<string, number> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}
