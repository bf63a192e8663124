import { Command } from 'commander';
import { beginReport } from '../begin-report.ts';
import type { Bench, WithBench } from '../bench.ts';
import { addPlaceOptions, count, duration, requireWrk, type PlaceFlags } from '../cli-options.ts';
import { evaluationTables, reevaluationTables, upkeepTables } from '../report/flag-tables.ts';
import { measureEvaluation } from './evaluation.ts';
import type { FlagsOptions } from './flags-options.ts';
import { measureReevaluation } from './reevaluation.ts';
import { measureUpkeep } from './upkeep.ts';

/** The options as the command line gives them. */
interface Flags extends PlaceFlags {
  upkeep?: true;
  reevaluation?: true;
  seconds?: number;
  rounds: number;
  players?: number;
  rate: number;
  openConnections: number;
  threads: number;
}

const PLAYERS = 10_000;
const PLAYERS_REEVALUATED = 100_000;
const SECONDS = 10;
/** Long enough for several edits of the default number of players. */
const SECONDS_REEVALUATION = 30;

/** `bench -- flags`: what targeting costs. */
export function flagsCommand(withBench: WithBench): Command {
  const command = new Command('flags')
    .description(
      'Measure bulk evaluation of 20 flags at 64 and 512 connections, interleaved with a bare uWebSockets.js server that parses ' +
        'the same bodies and answers as much. Needs wrk. (In process: the cases `evaluator` and `segments`.)',
    )
    .option('--upkeep', 'instead: single events with 0, 10 and 100 segments to keep up to date')
    .option(
      '--reevaluation',
      'instead: traffic at a fixed rate while every player is evaluated after edits of a segment',
    )
    .option(
      '--seconds <time>',
      `length of one run (default: ${SECONDS}s, ${SECONDS_REEVALUATION}s with --reevaluation)`,
      duration,
    )
    .option('--rounds <n>', 'runs of each; medians are told', count, 3)
    .option(
      '--players <n>',
      `players registered beforehand (default: ${PLAYERS}, ${PLAYERS_REEVALUATED} with --reevaluation)`,
      count,
    )
    .option('--rate <n>', 'events/s with --reevaluation', count, 4_000)
    .option('--open-connections <n>', 'connections with --reevaluation', count, 512)
    .option('--threads <n>', 'threads of wrk', count, 1);
  return addPlaceOptions(command).action(async (flags: Flags) => {
    if (flags.upkeep === true && flags.reevaluation === true) command.error('--upkeep or --reevaluation, not both');
    if (flags.reevaluation !== true) requireWrk(command);
    await withBench((bench) => measureAndTell(bench, flags));
  });
}

async function measureAndTell(bench: Bench, flags: Flags): Promise<void> {
  const tell = beginReport(bench, flags);
  const options: FlagsOptions = {
    seconds: flags.seconds ?? (flags.reevaluation === true ? SECONDS_REEVALUATION : SECONDS),
    rounds: flags.rounds,
    players: flags.players ?? (flags.reevaluation === true ? PLAYERS_REEVALUATED : PLAYERS),
    requestsPerSecond: flags.rate,
    openConnections: flags.openConnections,
    wrkThreads: flags.threads,
    folder: flags.folder,
  };
  const { name, figures, tables } = await measure(bench, flags, options);
  tell({ name, settings: options, results: { figures }, tables });
}

async function measure(
  bench: Bench,
  { upkeep, reevaluation }: Flags,
  options: FlagsOptions,
): Promise<{ name: string; figures: readonly object[]; tables: string }> {
  if (upkeep === true) {
    const figures = await measureUpkeep(bench, options);
    return { name: 'flags-upkeep', figures, tables: upkeepTables(figures) };
  }
  if (reevaluation === true) {
    const figures = await measureReevaluation(bench, options);
    return { name: 'flags-reevaluation', figures, tables: reevaluationTables(figures) };
  }
  const figures = await measureEvaluation(bench, options);
  return { name: 'flags', figures, tables: evaluationTables(figures) };
}
