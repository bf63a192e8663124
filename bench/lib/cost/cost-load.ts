import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from '../bench.ts';
import { watchUsage } from '../figures/usage.ts';
import { measureClosedLoop, measureOpenLoop, type Run } from '../run.ts';
import { countedBetween, readCounters, type Counters } from '../service/counters.ts';
import type { Service } from '../service/service.ts';
import type { Stage, Target } from '../stage.ts';
import type { Workload } from '../load/traffic/workload.ts';
import { costOf, costOfRun, type Cost, type Measured } from './cost-figures.ts';

/** Every load of the table, in its order. */
export const COST_LOADS = [
  'rest',
  'single-250',
  'single-1000',
  'single-2500',
  'single-5000',
  'closed-64',
  'closed-512',
  'batches',
  'syncs',
  'flags-64',
  'flags-512',
  'scores-512',
  'scores-half',
  'deliveries-1',
  'deliveries-10',
] as const;
export type CostLoadName = (typeof COST_LOADS)[number];

export interface CostSettings {
  /** Length of one run. */
  seconds: number;
  warmUpSeconds: number;
  rounds: number;
  players: number;
  openConnections: number;
  wrkThreads: number;
  /** Deliveries in one run. */
  backlog: number;
  /** Where the service's folder is made. */
  folder: string | undefined;
}

/** A load that is put on the service and on its reference by turns. */
export interface CostLoad {
  /** The name of its row. */
  name: string;
  unit: 'event' | 'request' | 'sync' | 'delivery' | 'second';
  bare: () => Promise<Cost>;
  service: () => Promise<Cost>;
}

/** Loads that share one service. */
export interface CostGroup {
  loads: readonly CostLoadName[];
  /** Starts the service, prepares what is measured and warms it up. */
  prepare: (bench: Bench, settings: CostSettings) => Promise<Partial<Record<CostLoadName, CostLoad>>>;
}

/** A stage on which each load reads the counters of the service before and after. */
export function counting<S extends Stage>(stage: S): S {
  return { ...stage, counters: () => readCounters(stage.service) };
}

/** Counts what a load uses that is measured without a stage. */
export async function withCounters<T>(
  service: Service,
  measure: () => Promise<T>,
): Promise<{ result: T; counted: Counters }> {
  const before = await readCounters(service);
  const result = await measure();
  return { result, counted: countedBetween(before, await readCounters(service)) };
}

/** Makes loads of HTTP requests on a stage. */
export function httpLoads(bench: Bench, stage: Stage, settings: CostSettings) {
  const { signal } = bench;
  const { seconds, openConnections, wrkThreads } = settings;
  const closed = (target: Target, workload: Workload, connections: number, length: number): Promise<Run> =>
    measureClosedLoop(stage, signal, { target, workload, connections, seconds: length, wrkThreads });
  const both = (name: string, unit: CostLoad['unit'], run: (target: Target) => Promise<Run>): CostLoad => ({
    name,
    unit,
    bare: async () => costOfRun(await run('bare')),
    service: async () => costOfRun(await run('service')),
  });
  return {
    closed: (name: string, unit: CostLoad['unit'], workload: Workload, connections: number): CostLoad =>
      both(name, unit, (target) => closed(target, workload, connections, seconds)),
    open: (name: string, unit: CostLoad['unit'], workload: Workload, rate: () => Promise<number>): CostLoad =>
      both(name, unit, async (target) => {
        const requestsPerSecond = await rate();
        const load = { target, workload, requestsPerSecond, connections: openConnections, seconds };
        return measureOpenLoop(stage, signal, load);
      }),
    /** Loads both, so that they have compiled their code and their heaps have their sizes. */
    warmUp: async (workload: Workload): Promise<void> => {
      bench.report(`warming up for ${settings.warmUpSeconds} s`);
      await closed('bare', workload, WARM_UP_CONNECTIONS, Math.min(1, settings.warmUpSeconds));
      await closed('service', workload, WARM_UP_CONNECTIONS, settings.warmUpSeconds);
    },
  };
}

const WARM_UP_CONNECTIONS = 64;

/** What both use in a second without requests: timers, leases, heartbeats and merges. */
export function restLoad({ signal }: Bench, stage: Stage, { seconds }: CostSettings): CostLoad {
  async function rest(target: Target): Promise<Omit<Measured, 'counted'>> {
    const watch = watchUsage(stage.pidsOf(target));
    try {
      await sleep(seconds * 1_000, undefined, { signal });
      const { cpuSeconds, rssMiB, othersCpus } = watch.seen();
      return { units: seconds, unitsPerSecond: 1, cpuSeconds, rssMiB, othersCpus, latency: NO_LATENCY, errors: {} };
    } finally {
      watch.stop();
    }
  }
  return {
    name: 'at rest',
    unit: 'second',
    bare: async () => costOf({ ...(await rest('bare')), counted: undefined }),
    async service() {
      const { result, counted } = await withCounters(stage.service, () => rest('service'));
      return costOf({ ...result, counted });
    },
  };
}

const NO_LATENCY = { points: [], maxMs: Number.NaN };
