import { Command } from 'commander';
import { beginReport } from '../begin-report.ts';
import type { Bench, WithBench } from '../bench.ts';
import { addPlaceOptions, count, duration, requireWrk, type PlaceFlags } from '../cli-options.ts';
import { scoringTables } from '../report/scoring-tables.ts';
import { measureScoring } from './scoring.ts';

/** The options as the command line gives them. */
interface Flags extends PlaceFlags {
  seconds: number;
  rounds: number;
  warmUp: number;
  installs: number;
  openSeconds: number;
  openConnections: number;
  rate?: number;
  threads: number;
}

/** `bench -- scoring`: what a score costs, from the request to its durable record. */
export function scoringCommand(withBench: WithBench): Command {
  const command = new Command('scoring')
    .description(
      'Measure scoring at 64 and 512 connections, interleaved with a bare uWebSockets.js server that parses the same bodies and ' +
        'answers as much; latencies at half that rate; the share of inference; records against rows in ClickHouse. Needs wrk.',
    )
    .option('--seconds <time>', 'length of one run', duration, 10)
    .option('--rounds <n>', 'runs of each; medians are told', count, 3)
    .option('--warm-up <time>', 'length of the warm-up', duration, 10)
    .option('--installs <n>', 'different bodies', count, 5_000)
    .option('--open-seconds <time>', 'length of the open loop', duration, 20)
    .option('--open-connections <n>', 'connections of the open loop', count, 512)
    .option('--rate <n>', 'requests/s of the open loop (default: half of what 512 connections gave)', count)
    .option('--threads <n>', 'threads of wrk', count, 1);
  return addPlaceOptions(command).action(async (flags: Flags) => {
    requireWrk(command);
    await withBench((bench) => measureAndTell(bench, flags));
  });
}

async function measureAndTell(bench: Bench, flags: Flags): Promise<void> {
  const tell = beginReport(bench, flags);
  const { output: _, warmUp, rate, threads, folder, ...same } = flags;
  const settings = { ...same, warmUpSeconds: warmUp, openRequestsPerSecond: rate, wrkThreads: threads, folder };
  const figures = await measureScoring(bench, settings);
  tell({ name: 'scoring', settings, results: { figures }, tables: scoringTables(figures) });
}
