import { Command } from 'commander';
import type { Bench } from '../bench.ts';
import { count } from '../cli-options.ts';
import { describeMachine, machineLine } from '../report/machine.ts';
import { queryTables } from '../report/query-tables.ts';
import { saveResults } from '../report/save-results.ts';
import { measureQueries } from './queries.ts';

/** The options as the command line gives them. */
interface Flags {
  rows: number;
  months: number;
  players: number;
  rounds: number;
  folder?: string;
  output: string;
}

/** `bench -- queries`: what a page of events costs in a large table. */
export function queriesCommand(withBench: (work: (bench: Bench) => Promise<void>) => Promise<void>): Command {
  return new Command('queries')
    .description(
      'Fill a ClickHouse with events and measure pages of them, as the endpoint asks for them, beside SELECT 1 and a row by its key.',
    )
    .option('--rows <n>', 'events in the table', count, 10_000_000)
    .option('--months <n>', 'months they are spread over', count, 6)
    .option('--players <n>', 'players they are of', count, 100_000)
    .option('--rounds <n>', 'queries of each kind', count, 200)
    .option('--folder <path>', "where ClickHouse's folder is made (default: system temp)")
    .option('--output <folder>', 'where results go', 'bench/results')
    .action((flags: Flags) => withBench((bench) => measureAndTell(bench, flags)));
}

async function measureAndTell(bench: Bench, { output, folder, ...same }: Flags): Promise<void> {
  const startedAt = new Date();
  const machine = describeMachine(folder);
  const settings = { ...same, folder };
  const figures = await measureQueries(bench, settings);
  bench.report(['', machineLine(machine), queryTables(figures)].join('\n'));
  const results = { machine, settings, figures };
  const saved = saveResults({ folder: output, name: 'queries', startedAt, results, pictures: {} });
  bench.report(saved.map((path) => `written: ${path}`).join('\n'));
}
