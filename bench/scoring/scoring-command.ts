import { Command } from 'commander';
import type { Bench } from '../bench.ts';
import { count, duration } from '../cli-options.ts';
import { wrkMissing } from '../load/wrk.ts';
import { describeMachine, machineLine } from '../report/machine.ts';
import { saveResults } from '../report/save-results.ts';
import { scoringTables } from '../report/scoring-tables.ts';
import { measureScoring } from './scoring.ts';

/** The options as the command line gives them. */
interface Flags {
  seconds: number;
  rounds: number;
  warmUp: number;
  installs: number;
  openSeconds: number;
  openConnections: number;
  rate?: number;
  threads: number;
  folder?: string;
  output: string;
}

/** `bench -- scoring`: what a score costs, from the request to its durable record. */
export function scoringCommand(withBench: (work: (bench: Bench) => Promise<void>) => Promise<void>): Command {
  return new Command('scoring')
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
    .option('--threads <n>', 'threads of wrk', count, 1)
    .option('--folder <path>', "where the service's folder is made (default: system temp)")
    .option('--output <folder>', 'where results go', 'bench/results')
    .action(async (flags: Flags, command: Command) => {
      const missing = wrkMissing();
      if (missing !== undefined) command.error(missing);
      await withBench((bench) => measureAndTell(bench, flags));
    });
}

async function measureAndTell(bench: Bench, flags: Flags): Promise<void> {
  const startedAt = new Date();
  const machine = describeMachine(flags.folder);
  const { output, warmUp, rate, threads, folder, ...same } = flags;
  const settings = { ...same, warmUpSeconds: warmUp, openRequestsPerSecond: rate, wrkThreads: threads, folder };
  const figures = await measureScoring(bench, settings);
  bench.report(['', machineLine(machine), scoringTables(figures)].join('\n'));
  const results = { machine, settings, figures };
  const saved = saveResults({ folder: output, name: 'scoring', startedAt, results, pictures: {} });
  bench.report(saved.map((path) => `written: ${path}`).join('\n'));
}
