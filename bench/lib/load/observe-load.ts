import { happened } from './load-result.ts';
import { addedBetween, readStatusCounts } from '../figures/metrics.ts';
import { countedBetween, type Counters } from '../service/counters.ts';
import { catchUpOf, watchRows, type CatchUp, type RowSample } from '../service/readers/row-watch.ts';
import type { Stage, Target } from '../stage.ts';
import { watchUsage, type Pids } from '../figures/usage.ts';

/** A load that is watched from outside. */
export interface ObservedLoad<Result> {
  target: Target;
  seconds: number;
  /** Starts the load and gives its process id. */
  start: (onPid: (pid: number) => void) => Promise<Result>;
  /** Events that the service has acknowledged. */
  eventsIn: (result: Result) => number;
  /** Memory samples to keep over the load; none when left out. */
  memorySamples?: number;
}

export interface MemorySample {
  atSeconds: number;
  rssMiB: Record<string, number>;
}

/** The figures of a load on one target that are read from outside. */
export interface ObservedRun {
  target: Target;
  seconds: number;
  /** CPUs that worked for other processes meanwhile: when this is far from 0, the figures mean little. */
  othersCpus: number;
  /** Resident memory at the end, by process. */
  rssMiB: Record<string, number>;
  /** The part of it that is mapped pages of files, which the system takes back when memory is short. */
  mappedMiB: Record<string, number>;
  /** Failures by kind; empty when there were none. */
  errors: Record<string, number>;
  clickhouse?: CatchUp;
  /** What the load added to the stage's counters, where it has any. */
  counted?: Counters;
}

/** What was seen from outside while a load ran. */
export interface Observation<Result> {
  result: Result;
  /** @param errors of the load; processes that are not the ones it began with are added: their figures are wrong */
  observed: (errors: Readonly<Record<string, number>>) => ObservedRun;
  /** CPU seconds per 1,000 requests or events by process, until ClickHouse had caught up. */
  perThousand: (count: number) => Record<string, number>;
  memory: MemorySample[];
  /** Counts of rows over the load and until ClickHouse had caught up; undefined without ClickHouse. */
  rows: readonly RowSample[] | undefined;
  /** Answers by status as the service counts them; undefined when it does not serve metrics. */
  statuses: Record<string, number> | undefined;
}

/** How long ClickHouse may take to catch up before the bench goes on without it. */
const CATCH_UP_TIMEOUT_MS = 120_000;
/** Rows are counted more often from this long before the end of a load. */
const HURRY_BEFORE_MS = 300;

/** Runs a load, adds what was acknowledged to the ledger, and waits until ClickHouse holds all of that. */
export async function observeLoad<Result extends { startedMs: number }>(
  stage: Stage,
  signal: AbortSignal,
  load: ObservedLoad<Result>,
): Promise<Observation<Result>> {
  const { service, ledger } = stage;
  const { target, seconds, memorySamples = 0 } = load;
  const onService = target === 'service';
  const before = onService ? await readStatusCounts(service) : undefined;
  const counters = onService ? stage.counters : undefined;
  const countersBefore = await counters?.();
  const pids = stage.pidsOf(target);
  const memory: MemorySample[] = [];
  const begunMs = performance.now();
  const usage = watchUsage(pids, (rssMiB) => {
    const atSeconds = (performance.now() - begunMs) / 1000;
    if (memorySamples > 0 && atSeconds >= (memory.length * seconds) / memorySamples) memory.push({ atSeconds, rssMiB });
  });
  const { countRows } = service;
  const startWatch = () => (onService && countRows !== undefined ? watchRows(countRows) : undefined);
  let watch = counters === undefined ? startWatch() : undefined;
  const hurrying = setTimeout(() => watch?.hurry(), seconds * 1000 - HURRY_BEFORE_MS);

  try {
    const result = await load.start((pid) => usage.add('generator', pid));
    watch?.hurry();
    watch ??= startWatch();
    const events = load.eventsIn(result);
    if (onService) ledger.acknowledged += events;
    await watch?.reached(ledger.acknowledged, CATCH_UP_TIMEOUT_MS, signal);
    const seen = usage.seen();
    const counted = countersBefore && counters && countedBetween(countersBefore, await counters());
    const after = before === undefined ? undefined : await readStatusCounts(service);
    const restarted = otherNow(pids, stage.pidsOf(target));
    const rows = watch && [...watch.samples];
    const endMs = result.startedMs + seconds * 1000;
    // Worked out now: callers add to the ledger what follows the load.
    const clickhouse = rows && catchUpOf(rows, ledger.acknowledged, endMs, events / seconds);
    return {
      result,
      observed: (errors) => ({
        target,
        seconds,
        othersCpus: seen.othersCpus,
        rssMiB: seen.rssMiB,
        mappedMiB: seen.mappedMiB,
        errors: {
          ...happened(errors),
          ...Object.fromEntries(restarted.map((name) => [`${name} restarted`, 1])),
        },
        ...(clickhouse && { clickhouse }),
        ...(counted && { counted }),
      }),
      perThousand: (count) =>
        Object.fromEntries(Object.entries(seen.cpuSeconds).map(([name, cpu]) => [name, (cpu * 1000) / count])),
      memory,
      rows,
      statuses: before === undefined || after === undefined ? undefined : addedBetween(before, after),
    };
  } finally {
    usage.stop();
    clearTimeout(hurrying);
    await watch?.stop();
  }
}

function otherNow(before: Pids, now: Pids): string[] {
  return Object.keys(before).filter((name) => now[name] !== before[name]);
}
