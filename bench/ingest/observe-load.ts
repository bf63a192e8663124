import { createUsageMeter, type Pids } from '../measure/usage-meter.ts';
import { watchRows, type RowSample, type RowWatch } from '../service/row-watch.ts';
import { addedBetween, readStatusCounts } from '../service/status-counts.ts';
import type { Stage, Target } from '../service/stage.ts';
import type { MemorySample } from './run.ts';

/** A load that is watched from outside. */
export interface ObservedLoad<Result> {
  target: Target;
  seconds: number;
  /** Starts it; it tells its process id. */
  start: (onPid: (pid: number) => void) => Promise<Result>;
  /** Events that the service has acknowledged. */
  eventsIn: (result: Result) => number;
  /** Memory samples to keep over the load. */
  memorySamples: number;
}

/** What was seen from outside while a load ran. */
export interface Observation<Result> {
  result: Result;
  cpuSeconds: Record<string, number>;
  /** CPUs that were busy with something else, on average: 0.1 is a tenth of one. */
  othersCpus: number;
  rssMiB: Record<string, number>;
  memory: MemorySample[];
  /** Processes that are not the ones the load began with. */
  restarted: string[];
  /** Counts of rows over the load and until ClickHouse had caught up; undefined when it isn't asked. */
  rows: readonly RowSample[] | undefined;
  /** Answers by status as the service counts them; undefined when it doesn't tell. */
  statuses: Record<string, number> | undefined;
}

/** How long ClickHouse may take to catch up before that is given up and said. */
const CATCH_UP_TIMEOUT_MS = 120_000;
/** How often processes are looked at: a generator that ends takes no more than this of its CPU time with it. */
const USAGE_MS = 100;
/** Rows are counted more often from this long before the end of a load. */
const HURRY_BEFORE_MS = 300;

/** Runs a load, adds what it got acknowledged to the ledger, and waits until ClickHouse holds all of that. */
export async function observeLoad<Result>(
  stage: Stage,
  load: ObservedLoad<Result>,
  signal: AbortSignal,
): Promise<Observation<Result>> {
  const { service, ledger } = stage;
  const onService = load.target === 'service';
  const before = onService ? await readStatusCounts(service) : undefined;
  const pids = stage.pidsOf(load.target);
  const meter = createUsageMeter(pids);
  const memory: MemorySample[] = [];
  const begunMs = performance.now();
  const watch = onService && service.countRows !== undefined ? watchRows(service.countRows) : undefined;
  const reading = setInterval(look, USAGE_MS);
  const hurrying = setTimeout(() => watch?.hurry(), load.seconds * 1000 - HURRY_BEFORE_MS);

  function look(): void {
    meter.read();
    const atSeconds = (performance.now() - begunMs) / 1000;
    const due = (memory.length * load.seconds) / load.memorySamples;
    if (load.memorySamples > 0 && atSeconds >= due) memory.push({ atSeconds, rssMiB: meter.rssMiB() });
  }

  try {
    const result = await load.start((pid) => meter.add('generator', pid));
    watch?.hurry();
    if (onService) ledger.acknowledged += load.eventsIn(result);
    await watch?.reached(ledger.acknowledged, CATCH_UP_TIMEOUT_MS, signal);
    meter.read();
    const after = before === undefined ? undefined : await readStatusCounts(service);
    return {
      result,
      cpuSeconds: meter.cpuSeconds(),
      othersCpus: (meter.othersCpuSeconds() * 1000) / (performance.now() - begunMs),
      rssMiB: meter.rssMiB(),
      memory,
      restarted: otherNow(pids, stage.pidsOf(load.target)),
      rows: samplesOf(watch),
      statuses: before === undefined || after === undefined ? undefined : addedBetween(before, after),
    };
  } finally {
    clearInterval(reading);
    clearTimeout(hurrying);
    await watch?.stop();
  }
}

function otherNow(before: Pids, now: Pids): string[] {
  return Object.keys(before).filter((name) => now[name] !== before[name]);
}

/** As they are now: the watch goes on a little. */
function samplesOf(watch: RowWatch | undefined): readonly RowSample[] | undefined {
  return watch === undefined ? undefined : [...watch.samples];
}
