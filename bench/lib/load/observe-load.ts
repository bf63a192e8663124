import { happened } from './load-result.ts';
import { addedBetween, readStatusCounts } from '../figures/metrics.ts';
import { catchUpOf, watchRows, type CatchUp, type RowSample } from '../service/row-watch.ts';
import type { Stage, Target } from '../stage.ts';
import { watchUsage, type Pids, type UsageSeen } from '../figures/usage.ts';

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

/** What was seen from outside while a load ran. */
export interface Observation<Result> {
  result: Result;
  usage: UsageSeen;
  memory: MemorySample[];
  /** Errors of the load, and processes that are not the ones it began with: figures by process are wrong then. */
  errorsOf: (errors: Readonly<Record<string, number>>) => Record<string, number>;
  /** Counts of rows over the load and until ClickHouse had caught up; undefined without ClickHouse. */
  rows: readonly RowSample[] | undefined;
  catchUp: CatchUp | undefined;
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
  const pids = stage.pidsOf(target);
  const memory: MemorySample[] = [];
  const begunMs = performance.now();
  const usage = watchUsage(pids, (rssMiB) => {
    const atSeconds = (performance.now() - begunMs) / 1000;
    if (memorySamples > 0 && atSeconds >= (memory.length * seconds) / memorySamples) memory.push({ atSeconds, rssMiB });
  });
  const watch = onService && service.countRows !== undefined ? watchRows(service.countRows) : undefined;
  const hurrying = setTimeout(() => watch?.hurry(), seconds * 1000 - HURRY_BEFORE_MS);

  try {
    const result = await load.start((pid) => usage.add('generator', pid));
    watch?.hurry();
    const events = load.eventsIn(result);
    if (onService) ledger.acknowledged += events;
    await watch?.reached(ledger.acknowledged, CATCH_UP_TIMEOUT_MS, signal);
    const seen = usage.seen();
    const after = before === undefined ? undefined : await readStatusCounts(service);
    const restarted = otherNow(pids, stage.pidsOf(target));
    const rows = watch && [...watch.samples];
    const endMs = result.startedMs + seconds * 1000;
    return {
      result,
      usage: seen,
      memory,
      errorsOf: (errors) => ({
        ...happened(errors),
        ...Object.fromEntries(restarted.map((name) => [`${name} restarted`, 1])),
      }),
      rows,
      catchUp: rows && catchUpOf(rows, ledger.acknowledged, endMs, events / seconds),
      statuses: before === undefined || after === undefined ? undefined : addedBetween(before, after),
    };
  } finally {
    usage.stop();
    clearTimeout(hurrying);
    await watch?.stop();
  }
}

/** CPU seconds per 1,000 requests or events, by process. */
export function perThousand({ cpuSeconds }: UsageSeen, count: number): Record<string, number> {
  return Object.fromEntries(Object.entries(cpuSeconds).map(([name, seconds]) => [name, (seconds * 1000) / count]));
}

function otherNow(before: Pids, now: Pids): string[] {
  return Object.keys(before).filter((name) => now[name] !== before[name]);
}
