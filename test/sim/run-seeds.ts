import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { FaultKind } from './machines/chaos.ts';
import type { SimulationName } from './simulations.ts';
import type { SeedReport, WorkOrder } from './worker.ts';

export interface SeedsRun {
  seeds: number;
  /** Violations by seed. */
  violations: { seed: number; invariant: string; message: string }[];
  /** The number of seeds that met each protocol branch and each fault. */
  coverage: Map<string, number>;
  /** Trace hash by seed. */
  traceHashes: Map<number, number>;
}

export interface RunSeedsOptions {
  from: number;
  count: number;
  workers: number;
  /** A deliberate bug to run with (mutants.ts). */
  mutant?: string;
  /** `service` when absent. */
  simulation?: SimulationName | undefined;
  /** Only these faults. */
  faults?: readonly FaultKind[] | undefined;
  /** The run ends after this many violations. */
  enough?: number;
  onProgress?: (done: number, violations: number) => void;
}

/**
 * Seeds per order to a worker: few enough that all workers finish together, many enough that none is idle between
 * orders.
 */
const ORDER_SEEDS = 20;
/** The same when the first violation ends the run, which wastes the rest of the order. */
const SHORT_ORDER_SEEDS = 1;
/** One seed takes milliseconds; a worker without a report for this long is stuck in a loop. */
const SILENCE_MS = 60_000;

/** Runs seeds in worker processes, so that a loop, a crash or a mutant affects only its own process. */
export async function runSeeds(options: RunSeedsOptions): Promise<SeedsRun> {
  const { from, count, workers, mutant, simulation = 'service', faults, enough = Infinity } = options;
  const run: SeedsRun = { seeds: 0, violations: [], coverage: new Map(), traceHashes: new Map() };
  let next = from;

  function takeOrder(): WorkOrder | undefined {
    if (next >= from + count || run.violations.length >= enough) return undefined;
    const most = enough === 1 ? SHORT_ORDER_SEEDS : ORDER_SEEDS;
    const order = { from: next, count: Math.min(most, from + count - next), faults };
    next += order.count;
    return order;
  }

  function add({ seed, violation, coverage, traceHash }: SeedReport): void {
    run.seeds += 1;
    run.traceHashes.set(seed, traceHash);
    if (violation !== undefined) run.violations.push({ seed, ...violation });
    for (const what of coverage) run.coverage.set(what, (run.coverage.get(what) ?? 0) + 1);
    options.onProgress?.(run.seeds, run.violations.length);
  }

  await Promise.all(Array.from({ length: workers }, () => work(takeOrder, add, simulation, mutant)));
  run.violations.sort((a, b) => a.seed - b.seed);
  return run;
}

/**
 * The protocol with one worker: orders go in, reports come out. A worker that dies or stops reporting is a violation.
 */
function work(
  takeOrder: () => WorkOrder | undefined,
  add: (report: SeedReport) => void,
  simulation: SimulationName,
  mutant: string | undefined,
): Promise<void> {
  const first = takeOrder();
  if (first === undefined) return Promise.resolve();
  const worker = startWorker(simulation, mutant);
  let seed = first.from;
  let last = first.from + first.count - 1;
  return new Promise((resolve) => {
    let silence = setTimeout(() => {}, 0);
    const give = (order: WorkOrder | undefined): void => {
      if (order === undefined) {
        worker.disconnect();
        return;
      }
      seed = order.from;
      last = order.from + order.count - 1;
      worker.send(order);
    };
    const listen = (): void => {
      clearTimeout(silence);
      silence = setTimeout(() => worker.kill('SIGKILL'), SILENCE_MS);
    };
    worker.on('message', (report: SeedReport) => {
      listen();
      add(report);
      seed = report.seed + 1;
      if (report.seed === last) give(takeOrder());
    });
    worker.on('exit', (code, signal) => {
      clearTimeout(silence);
      if (code !== 0) {
        const message = `the worker ended with ${signal ?? code} in this seed`;
        add({ seed, violation: { invariant: 'ends', message }, coverage: [], traceHash: 0 });
      }
      resolve();
    });
    listen();
    worker.send(first);
  });
}

/**
 * Without them V8 discards the code of functions that are called seldom and compiles them again, and collects the young
 * generation while most of a life's objects are in use.
 */
const WORKER_FLAGS = ['--no-flush-bytecode', '--min-semi-space-size=32', '--max-semi-space-size=64'];

function startWorker(simulation: SimulationName, mutant: string | undefined): ChildProcess {
  const path = fileURLToPath(new URL('./worker.ts', import.meta.url));
  return fork(path, mutant === undefined ? [simulation] : [simulation, mutant], { execArgv: WORKER_FLAGS });
}
