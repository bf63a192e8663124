import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { freePort } from '../../src/local/free-port.ts';
import type { Bench, WithBench } from '../bench.ts';
import { addPlaceOptions, count, duration, requireWrk, type PlaceFlags } from '../cli-options.ts';
import { measureClosedLoop } from '../ingest/closed-loop.ts';
import { prepare } from '../ingest/prepare.ts';
import type { Workload, WorkloadKind } from '../load/workload.ts';
import { prepareScoring } from '../scoring/prepare-scoring.ts';
import type { Stage } from '../service/stage.ts';
import { connectInspector } from './inspector-session.ts';
import { profileTables } from './profile-tables.ts';
import { summariseProfile, type CpuProfile } from './summarise-profile.ts';

interface Flags extends PlaceFlags {
  workload: WorkloadKind | 'score';
  connections: number;
  seconds: number;
  players: number;
  batchSize: number;
  threads: number;
}

const WARM_UP_SECONDS = 4;
/** Twice as fine as V8's default: short functions that are called often show sooner. */
const SAMPLING_US = 500;

/** `bench -- profile`: where the service's main thread spends its time under load. */
export function profileCommand(withBench: WithBench): Command {
  const command = new Command('profile')
    .description(
      'Take a CPU profile of the service under load, through its inspector: a .cpuprofile for any viewer (Chrome DevTools, ' +
        'speedscope) and tables of where the time goes. Needs wrk.',
    )
    .addOption(new Option('--workload <kind>', 'what is sent').choices(['single', 'batch', 'score']).default('single'))
    .option('--connections <n>', 'connections', count, 512)
    .option('--seconds <time>', 'length of the profile', duration, 10)
    .option('--players <n>', 'players registered beforehand', count, 10_000)
    .option('--batch-size <n>', 'events in one batch', count, 100)
    .option('--threads <n>', 'threads of wrk', count, 1);
  return addPlaceOptions(command).action(async (flags: Flags) => {
    requireWrk(command);
    await withBench((bench) => takeProfile(bench, flags));
  });
}

async function takeProfile(bench: Bench, flags: Flags): Promise<void> {
  const port = await freePort();
  const { stage, workload } = await stageOf(bench, flags, [`--inspect=127.0.0.1:${port}`]);
  const load = (seconds: number) =>
    measureClosedLoop(stage, bench.signal, {
      target: 'service',
      workload,
      connections: flags.connections,
      seconds,
      wrkThreads: flags.threads,
    });
  bench.report('warming up');
  await load(WARM_UP_SECONDS);

  bench.report(`profiling for ${flags.seconds} s`);
  const inspector = await connectInspector(port);
  bench.cleanup.add(async () => inspector.close());
  await inspector.send('Profiler.enable');
  await inspector.send('Profiler.setSamplingInterval', { interval: SAMPLING_US });
  await inspector.send('Profiler.start');
  const run = await load(flags.seconds);
  const stopped: { profile: CpuProfile } = JSON.parse(await inspector.send('Profiler.stop'));

  mkdirSync(flags.output, { recursive: true });
  const time = new Date().toISOString().slice(0, 19).replaceAll(':', '');
  const path = join(flags.output, `${time}-${flags.workload}-${flags.connections}.cpuprofile`);
  writeFileSync(path, JSON.stringify(stopped.profile));
  bench.report(profileTables(summariseProfile(stopped.profile), run));
  bench.report(`written: ${path}`);
}

/** Different installs that are scored. */
const INSTALLS = 5_000;

async function stageOf(
  bench: Bench,
  { workload, players, batchSize, folder }: Flags,
  nodeArguments: readonly string[],
): Promise<{ stage: Stage; workload: Workload }> {
  if (workload === 'score') return prepareScoring(bench, { installs: INSTALLS, folder, nodeArguments });
  const setup = await prepare(bench, { remote: undefined, players, batchSize, folder, nodeArguments });
  return { stage: setup, workload: setup.workloads[workload] };
}
