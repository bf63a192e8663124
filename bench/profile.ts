import { join } from 'node:path';
import { freePort } from '../src/local/free-port.ts';
import type { Bench } from './lib/bench.ts';
import { choice, count, defineCase, duration, fileTime, writeResult } from './lib/case.ts';
import {
  summariseProfile,
  type CpuProfile,
  type ProfileEntry,
  type ProfileSummary,
} from './lib/figures/cpu-profile.ts';
import { prepareIngest } from './lib/ingest-stage.ts';
import { connectInspector } from './lib/service/inspector.ts';
import { measureClosedLoop, type Run } from './lib/run.ts';
import type { LocalServiceOptions } from './lib/service/service.ts';
import type { Stage } from './lib/stage.ts';
import { figure, tableOf } from './lib/report/table.ts';
import type { Workload } from './lib/load/workload.ts';
import { prepareScoring } from './scoring.ts';

const WORKLOADS = ['single', 'batch', 'score'] as const;
const WARM_UP_SECONDS = 4;
/** Twice as fine as V8's default: short functions that are called often show sooner. */
const SAMPLING_US = 500;
/** Different installs that are scored. */
const INSTALLS = 5_000;

export const profile = defineCase({
  name: 'profile',
  description:
    'Take a CPU profile of the service under load, through its inspector: a .cpuprofile for any viewer (Chrome DevTools, ' +
    'speedscope) and tables of where the time goes.',
  needsWrk: () => true,
  options: {
    workload: choice('--workload <kind>', 'requests', WORKLOADS),
    connections: count('--connections <n>', 'connections', 512),
    seconds: duration('--seconds <time>', 'length of the profile', 10),
    players: count('--players <n>', 'players registered beforehand', 10_000),
    batchSize: count('--batch-size <n>', 'events in one batch', 100),
    threads: count('--threads <n>', 'threads of wrk', 1),
  },
  async run(bench, settings) {
    const { connections, seconds, threads: wrkThreads, output } = settings;
    const port = await freePort();
    const { stage, workload } = await prepare(bench, {
      ...settings,
      nodeArguments: [`--inspect=127.0.0.1:${port}`],
    });
    const load = (length: number): Promise<Run> =>
      measureClosedLoop(stage, bench.signal, { target: 'service', workload, connections, seconds: length, wrkThreads });
    bench.report('warming up');
    await load(WARM_UP_SECONDS);

    bench.report(`profiling for ${seconds} s`);
    const inspector = await connectInspector(port);
    bench.cleanup.add(async () => inspector.close());
    await inspector.send('Profiler.enable');
    await inspector.send('Profiler.setSamplingInterval', { interval: SAMPLING_US });
    await inspector.send('Profiler.start');
    const run = await load(seconds);
    const stopped: { profile: CpuProfile } = JSON.parse(await inspector.send('Profiler.stop'));

    bench.report(profileTables(summariseProfile(stopped.profile), run));
    const name = `${fileTime(new Date())}-${settings.workload}-${connections}.cpuprofile`;
    writeResult(bench, output, join(output, name), JSON.stringify(stopped.profile));
  },
});

async function prepare(
  bench: Bench,
  options: LocalServiceOptions & { workload: (typeof WORKLOADS)[number]; players: number; batchSize: number },
): Promise<{ stage: Stage; workload: Workload }> {
  if (options.workload === 'score') return prepareScoring(bench, { ...options, installs: INSTALLS });
  const stage = await prepareIngest(bench, options);
  return { stage, workload: stage.workloads[options.workload] };
}

/** Functions listed by self time, and again by total time. */
const LISTED = 30;

function profileTables({ spanMs, busyMs, groups, functions }: ProfileSummary, run: Run): string {
  const events = run.eventsPerSecond * run.seconds;
  const times = <T>(items: readonly T[], nameOf: (item: T) => string, ms: (item: T) => number): string =>
    tableOf(items, {
      '': nameOf,
      ms,
      'of busy': (item) => `${((ms(item) / busyMs) * 100).toFixed(1)} %`,
      'µs/event': (item) => (ms(item) * 1000) / events,
    });
  const top = (of: readonly ProfileEntry[], by: 'selfMs' | 'totalMs'): string =>
    times(
      of.toSorted((a, b) => b[by] - a[by]).slice(0, LISTED),
      ({ name }) => name,
      (entry) => entry[by],
    );
  const cpuUs = (run.cpuSecondsPerThousandEvents['service'] ?? Number.NaN) * 1000;
  return [
    '',
    `${figure(run.requestsPerSecond)} requests/s, ${figure(run.eventsPerSecond)} events/s under the profiler; the ` +
      `service's main thread was busy ${figure(busyMs)} of ${figure(spanMs)} ms, its process used ${figure(cpuUs)} µs ` +
      'of CPU per event in all threads',
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
