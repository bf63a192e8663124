import { latencyAt, median, medianByName, medianRatio, type Latency } from '../figures/statistics.ts';
import type { LivesRun } from '../lives/lives-run.ts';
import type { Pair, Run } from '../run.ts';
import type { Counters } from '../service/counters.ts';

/** What one unit of a load cost: an event, a request or a delivery. */
export interface Cost {
  unitsPerSecond: number;
  /** µs of CPU by process. */
  cpuUs: Record<string, number>;
  latency: Latency;
  /** Counters by name (`readCounters`), of a unit. Empty for the bare server. */
  counted: Record<string, number>;
  /** Resident memory at the end, in MiB, by process. */
  rssMiB: Record<string, number>;
  /** CPUs that worked for other processes meanwhile: when this is far from 0, the figures mean little. */
  othersCpus: number;
  /** Failures by kind; empty when there were none. */
  errors: Record<string, number>;
}

/** What was measured of a load that came to `units`. */
export interface Measured extends Pick<Cost, 'latency' | 'rssMiB' | 'othersCpus' | 'errors'> {
  units: number;
  unitsPerSecond: number;
  cpuSeconds: Readonly<Record<string, number>>;
  counted: Counters | undefined;
}

/** Divides what a load used by its units. */
export function costOf({ units, cpuSeconds, rssMiB, counted = {}, ...rest }: Measured): Cost {
  return {
    ...rest,
    rssMiB: ofTheService(rssMiB),
    cpuUs: scaled(ofTheService(cpuSeconds), 1e6 / units),
    counted: scaled(counted, 1 / units),
  };
}

/** Adds up the processes of the service where it has several: `service`, `service-2`, … */
function ofTheService(values: Readonly<Record<string, number>>): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [name, value] of Object.entries(values)) {
    const of = name.startsWith('service-') ? 'service' : name;
    sums[of] = (sums[of] ?? 0) + value;
  }
  return sums;
}

/** The cost of an event, or of a request where requests carry none. */
export function costOfRun(run: Run): Cost {
  const unitsPerSecond = run.eventsPerSecond === 0 ? run.requestsPerSecond : run.eventsPerSecond;
  return costOf({
    ...figuresOf(run),
    units: unitsPerSecond * run.seconds,
    unitsPerSecond,
    latency: run.latency,
    cpuSeconds: scaled(run.cpuSecondsPerThousandEvents, (unitsPerSecond * run.seconds) / 1_000),
  });
}

/** The cost of a request of a load of syncs. */
export function costOfSyncs(run: LivesRun): Cost {
  const { requestsPerSecond, seconds } = run;
  return costOf({
    ...figuresOf(run),
    units: requestsPerSecond * seconds,
    unitsPerSecond: requestsPerSecond,
    latency: run.endpoints.sync.latency,
    cpuSeconds: scaled(run.cpuSecondsPerThousandRequests, (requestsPerSecond * seconds) / 1_000),
  });
}

function figuresOf({ rssMiB, othersCpus, errors, counted }: Run | LivesRun) {
  return { rssMiB, othersCpus, errors, counted };
}

function scaled(values: Readonly<Record<string, number>>, by: number): Record<string, number> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value * by]));
}

/** The processes whose CPU time and memory a deployment pays for, by the names of their columns. */
export const DEPLOYED = ['service', 'nats', 'clickhouse'] as const;

/** A row of the table: medians over the rounds. */
export interface CostRow {
  name: string;
  unit: string;
  unitsPerSecond: number;
  /** The median of the rounds' ratios to the bare server. */
  ofBare: number;
  cpuUs: Record<string, number>;
  /** Of the three processes together: the median of the rounds' sums. */
  cpuUsOfAll: number;
  bareCpuUs: number;
  p50Ms: number;
  p95Ms: number;
  p99Ms: number;
  counted: Record<string, number>;
  rssMiB: Record<string, number>;
  othersCpus: number;
  errors: Record<string, number>;
}

/** @param rounds each round's cost on the bare server and on the service */
export function costRow(name: string, unit: string, rounds: readonly Pair<Cost>[]): CostRow {
  const service = rounds.map((round) => round.service);
  const middle = (pick: (cost: Cost) => number): number => median(service.map(pick));
  return {
    name,
    unit,
    unitsPerSecond: middle((cost) => cost.unitsPerSecond),
    ofBare: medianRatio(rounds.map((round) => ({ of: round.service.unitsPerSecond, to: round.bare.unitsPerSecond }))),
    cpuUs: medianByName(service.map((cost) => cost.cpuUs)),
    cpuUsOfAll: middle(({ cpuUs }) => sumOfDeployed(cpuUs)),
    bareCpuUs: median(rounds.map(({ bare }) => bareCpu(bare))),
    p50Ms: middle(({ latency }) => latencyAt(latency, 0.5)),
    p95Ms: middle(({ latency }) => latencyAt(latency, 0.95)),
    p99Ms: middle(({ latency }) => latencyAt(latency, 0.99)),
    counted: medianByName(service.map((cost) => cost.counted)),
    rssMiB: medianByName(service.map((cost) => cost.rssMiB)),
    othersCpus: median(rounds.flatMap((round) => [round.bare.othersCpus, round.service.othersCpus])),
    errors: Object.assign({}, ...service.map((cost) => cost.errors)),
  };
}

/** The sum of the deployed processes' figures; those that did not run count 0. */
export function sumOfDeployed(byProcess: Readonly<Record<string, number>>): number {
  return DEPLOYED.reduce((sum, name) => sum + (byProcess[name] ?? 0), 0);
}

/** The reference is the bare server, or for deliveries the bare relay. */
function bareCpu({ cpuUs }: Cost): number {
  return cpuUs['bare'] ?? cpuUs['relay'] ?? Number.NaN;
}
