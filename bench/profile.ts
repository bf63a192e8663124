import { join } from 'node:path';
import { freePort } from '../src/local/free-port.ts';
import { prepareEvaluation } from './targeting/flags.ts';
import type { Bench } from './lib/bench.ts';
import { choice, count, defineCase, duration, fileTime, on, optional, writeResult } from './lib/case.ts';
import { summariseAllocations, type AllocationProfile } from './lib/figures/allocation-profile.ts';
import {
  summariseProfile,
  type CpuProfile,
  type ProfileEntry,
  type ProfileSummary,
} from './lib/figures/cpu-profile.ts';
import { prepareIngest } from './lib/ingest-stage.ts';
import { prepareSyncs } from './lib/lives/syncs.ts';
import type { Workload } from './lib/load/traffic/workload.ts';
import { figure, tableOf } from './lib/report/table.ts';
import { measureClosedLoop, measureOpenLoop, type Run } from './lib/run.ts';
import { connectInspector } from './lib/service/inspector.ts';
import type { LocalServiceOptions } from './lib/service/service.ts';
import type { Stage } from './lib/stage.ts';
import { prepareScoring } from './scoring.ts';

const WORKLOADS = ['single', 'batch', 'sync', 'flags', 'score'] as const;
const WARM_UP_SECONDS = 8;
/** Twice as fine as V8's default: short functions that are called often show sooner. */
const SAMPLING_US = 500;
/** One sample of the heap stands for this much. */
const HEAP_SAMPLE_BYTES = 16_384;
/** Different installs that are scored. */
const INSTALLS = 5_000;
/** Syncs are sent at a rate only. */
const SYNCS_PER_SECOND = 250;

export const profile = defineCase({
  name: 'profile',
  description:
    "Take a CPU profile of the service's main thread under load, through its inspector, or with --heap one of its " +
    'allocations: a file for any viewer (Chrome DevTools, speedscope) and tables of where time or bytes go.',
  needsWrk: () => true,
  options: {
    workload: choice('--workload <kind>', 'requests', WORKLOADS),
    heap: on('--heap', 'instead: bytes by the function that allocated them'),
    connections: count('--connections <n>', 'connections', 512),
    rate: optional(count('--rate <n>', 'requests/s of an open loop (default: as fast as they are answered)', 1)),
    seconds: duration('--seconds <time>', 'length of the profile', 10),
    players: count('--players <n>', 'players registered beforehand', 10_000),
    batchSize: count('--batch-size <n>', 'events in one batch', 100),
    threads: count('--threads <n>', 'threads of wrk', 1),
  },
  async run(bench, settings) {
    const { heap, seconds, output, workload } = settings;
    const port = await freePort();
    const { full, load } = await prepare(bench, { ...settings, nodeArguments: [`--inspect=127.0.0.1:${port}`] });
    bench.report('warming up');
    await full(WARM_UP_SECONDS);
    await load(1);

    bench.report(`profiling for ${seconds} s`);
    const inspector = await connectInspector(port);
    bench.cleanup.add(async () => inspector.close());
    const write = (profile: object): void => {
      const name = `${fileTime(new Date())}-${workload}-${settings.rate ?? settings.connections}`;
      writeResult(bench, output, join(output, `${name}.${heap ? 'heap' : 'cpu'}profile`), JSON.stringify(profile));
    };
    if (heap) {
      await inspector.send('HeapProfiler.startSampling', {
        samplingInterval: HEAP_SAMPLE_BYTES,
        includeObjectsCollectedByMajorGC: true,
        includeObjectsCollectedByMinorGC: true,
      });
      const run = await load(seconds);
      const stopped: { profile: AllocationProfile } = JSON.parse(await inspector.send('HeapProfiler.stopSampling'));
      bench.report(allocationTable(stopped.profile, run));
      write(stopped.profile);
    } else {
      await inspector.send('Profiler.enable');
      await inspector.send('Profiler.setSamplingInterval', { interval: SAMPLING_US });
      await inspector.send('Profiler.start');
      const run = await load(seconds);
      const stopped: { profile: CpuProfile } = JSON.parse(await inspector.send('Profiler.stop'));
      bench.report(profileTables(summariseProfile(stopped.profile), run));
      write(stopped.profile);
    }
  },
});

/** What was profiled: units are events, or requests where they carry none. */
interface Profiled {
  units: number;
  unitsPerSecond: number;
  cpuUs: number;
}

/** A load to profile, and one at full speed that warms up its code. */
interface Loads {
  load: (seconds: number) => Promise<Profiled>;
  full: (seconds: number) => Promise<Profiled>;
}

interface LoadOptions extends LocalServiceOptions {
  workload: (typeof WORKLOADS)[number];
  connections: number;
  rate?: number | undefined;
  players: number;
  batchSize: number;
  threads: number;
}

async function prepare(bench: Bench, options: LoadOptions): Promise<Loads> {
  if (options.workload === 'sync') return syncLoads(bench, options);
  const { stage, workload } = await prepareRequests(bench, options);
  const { connections, rate } = options;
  const load = { target: 'service', workload, connections } as const;
  const full = async (seconds: number): Promise<Profiled> =>
    profiledOf(await measureClosedLoop(stage, bench.signal, { ...load, seconds, wrkThreads: options.threads }));
  if (rate === undefined) return { full, load: full };
  return {
    full,
    load: async (seconds) =>
      profiledOf(await measureOpenLoop(stage, bench.signal, { ...load, seconds, requestsPerSecond: rate })),
  };
}

async function prepareRequests(bench: Bench, options: LoadOptions): Promise<{ stage: Stage; workload: Workload }> {
  if (options.workload === 'score') return prepareScoring(bench, { ...options, installs: INSTALLS });
  if (options.workload === 'flags') return prepareEvaluation(bench, options);
  const stage = await prepareIngest(bench, options);
  return { stage, workload: options.workload === 'batch' ? stage.workloads.batch : stage.workloads.single };
}

async function syncLoads(bench: Bench, options: LoadOptions): Promise<Loads> {
  const { measure } = await prepareSyncs(bench, { ...options, openConnections: options.connections });
  const load = async (seconds: number): Promise<Profiled> => {
    const run = await measure('service', options.rate ?? SYNCS_PER_SECOND, seconds);
    const cpuUs = (run.cpuSecondsPerThousandRequests['service'] ?? Number.NaN) * 1000;
    return { units: run.requestsPerSecond * seconds, unitsPerSecond: run.requestsPerSecond, cpuUs };
  };
  return { load, full: load };
}

function profiledOf(run: Run): Profiled {
  const unitsPerSecond = run.eventsPerSecond || run.requestsPerSecond;
  const cpuUs = (run.cpuSecondsPerThousandEvents['service'] ?? Number.NaN) * 1000;
  return { units: unitsPerSecond * run.seconds, unitsPerSecond, cpuUs };
}

/** Functions listed by self time, and again by total time. */
const LISTED = 30;

function profileTables({ spanMs, busyMs, groups, functions }: ProfileSummary, { units, ...run }: Profiled): string {
  const times = <T>(items: readonly T[], nameOf: (item: T) => string, ms: (item: T) => number): string =>
    tableOf(items, {
      '': nameOf,
      ms,
      'of busy': (item) => `${((ms(item) / busyMs) * 100).toFixed(1)} %`,
      'µs each': (item) => (ms(item) * 1000) / units,
    });
  const top = (of: readonly ProfileEntry[], by: 'selfMs' | 'totalMs'): string =>
    times(
      of.toSorted((a, b) => b[by] - a[by]).slice(0, LISTED),
      ({ name }) => name,
      (entry) => entry[by],
    );
  return [
    '',
    `${figure(run.unitsPerSecond)} events or requests/s under the profiler; the service's main thread was busy ` +
      `${figure(busyMs)} of ${figure(spanMs)} ms, its process used ${figure(run.cpuUs)} µs of CPU each in all threads`,
    '\nSelf time by group of modules',
    times(
      groups,
      ({ group }) => group,
      ({ selfMs }) => selfMs,
    ),
    '\nFunctions by self time',
    top(functions, 'selfMs'),
    '\nFunctions by time including what they called',
    top(
      functions.filter(({ group, name }) => !group.startsWith('native') && name !== '(root)'),
      'totalMs',
    ),
    '',
  ].join('\n');
}

function allocationTable(profile: AllocationProfile, { units, unitsPerSecond }: Profiled): string {
  const { bytes, functions } = summariseAllocations(profile);
  return [
    '',
    `${figure(unitsPerSecond)} events or requests/s under the profiler; ${figure(bytes / units)} bytes each`,
    '\nBytes by function',
    tableOf(functions.slice(0, LISTED), {
      '': ({ name }) => name,
      MB: (entry) => entry.bytes / 1e6,
      'of all': (entry) => `${((entry.bytes / bytes) * 100).toFixed(1)} %`,
      'bytes each': (entry) => entry.bytes / units,
    }),
    '',
  ].join('\n');
}
