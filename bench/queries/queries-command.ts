import { Command } from 'commander';
import { beginReport } from '../begin-report.ts';
import type { Bench, WithBench } from '../bench.ts';
import { addPlaceOptions, count, type PlaceFlags } from '../cli-options.ts';
import { queryTables } from '../report/query-tables.ts';
import { measureQueries } from './queries.ts';

/** The options as the command line gives them. */
interface Flags extends PlaceFlags {
  rows: number;
  months: number;
  players: number;
  rounds: number;
}

/** `bench -- queries`: what a page of events costs in a large table. */
export function queriesCommand(withBench: WithBench): Command {
  const command = new Command('queries')
    .description(
      'Fill a ClickHouse with events and measure pages of them, as the endpoint asks for them, beside SELECT 1 and a row by its key.',
    )
    .option('--rows <n>', 'events in the table', count, 10_000_000)
    .option('--months <n>', 'months they are spread over', count, 6)
    .option('--players <n>', 'players they are of', count, 100_000)
    .option('--rounds <n>', 'queries of each kind', count, 200);
  return addPlaceOptions(command).action((flags: Flags) => withBench((bench) => measureAndTell(bench, flags)));
}

async function measureAndTell(bench: Bench, flags: Flags): Promise<void> {
  const tell = beginReport(bench, flags);
  const { output: _, ...settings } = flags;
  const figures = await measureQueries(bench, { ...settings, folder: flags.folder });
  tell({ name: 'queries', settings, results: { figures }, tables: queryTables(figures) });
}
