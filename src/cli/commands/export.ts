import { Command, InvalidArgumentError, Option } from 'commander';
import type { Environment } from '../../../core/vocabulary/documents/scope.ts';
import { CLI_LIMITS } from '../limits.ts';
import { parseTimestamp } from '../../../core/kernel/text/timestamp.ts';
import { CliError } from '../cli-error.ts';
import type { CliContext } from '../context.ts';
import { exportDefinitions } from '../definitions/export-definitions.ts';
import { connectService } from '../definitions/service.ts';
import { readTargets } from '../definitions/targets.ts';
import { literal, queryRows, smallResult, type QueryRows } from '../export/clickhouse-rows.ts';
import { eventStatement, receivedIn } from '../export/event-statement.ts';
import { EXPORT_FORMATS, exportRows, type ExportFormat } from '../export/export-file.ts';

interface ExportOptions {
  game: string;
  environment: Environment;
  format: ExportFormat;
  output?: string;
}

interface EventOptions extends ExportOptions {
  from: number;
  to: number;
}

/** `export events|segment|definitions` */
export function exportCommand(context: CliContext): Command {
  const command = new Command('export').description('Write events, the members of a segment, or definitions to files.');
  withOptions(command.command('events'))
    .description('Export the events that were received from one time until before another, in order of time.')
    .requiredOption('--from <time>', 'ISO 8601', timeOf)
    .requiredOption('--to <time>', 'ISO 8601', timeOf)
    .action(async (options: EventOptions) => {
      const query = queryRows(context.clickhouse());
      const statements = await eventStatements(query, options);
      await exportRows({ query, statements, ...outputOf(options) });
    });
  withOptions(command.command('segment'))
    .description('Export the players that are in a segment.')
    .argument('<key>', 'key of the segment')
    .action((key: string, options: ExportOptions) =>
      context.withConfigStore(async (store) => {
        const { game, environment } = options;
        const segment = store.list('segment', game, environment).find(({ document }) => document.key === key);
        if (segment === undefined) throw new CliError(`There is no segment ${key} in ${game}, ${environment}.`);
        const query = queryRows(context.clickhouse());
        const statements = [memberStatement(segment.document.id, options)];
        await exportRows({ query, statements, ...outputOf(options) });
      }),
    );
  command
    .command('definitions')
    .description('Write the definitions and settings of the games in games.json as files; see plan and apply.')
    .argument('<dir>', 'directory with games.json')
    .option('--only <folder...>', 'only these games of games.json')
    .action(async (dir: string, { only }: { only?: string[] }) => {
      for (const target of await readTargets(dir, only, process.env)) {
        const service = connectService(target, { reason: '', managedBy: undefined }, context.clock);
        const { files, variables } = await exportDefinitions(target, service);
        context.print(`${target.name}: ${files} files in ${target.folder}`);
        if (variables.length > 0) context.note(`Its webhooks need ${variables.join(', ')}.`);
      }
    });
  return command;
}

function withOptions(command: Command): Command {
  return command
    .requiredOption('--game <id>', 'game to export from')
    .addOption(new Option('--environment <environment>').choices(['live', 'test']).default('live'))
    .addOption(new Option('--format <format>').choices(EXPORT_FORMATS).makeOptionMandatory())
    .option('--output <file>', 'file to write (default: standard output)');
}

const outputOf = ({ format, output }: ExportOptions) => ({ format, output });

function timeOf(text: string): number {
  const epochMs = parseTimestamp(text);
  if (epochMs === undefined) throw new InvalidArgumentError('It must be ISO 8601, such as 2026-01-31T00:00:00Z.');
  return epochMs;
}

/** Statements for ranges of some hours: ClickHouse then sorts few rows at a time, however long the whole range is. */
async function eventStatements(query: QueryRows, options: EventOptions): Promise<string[]> {
  const { from, to } = options;
  if (from >= to) throw new CliError('--from must be before --to.');
  const hours = await smallResult(
    query,
    `SELECT toUnixTimestamp(toStartOfHour(received_at)) AS hour, count() FROM events ` +
      `WHERE ${receivedIn(options, from, to)} GROUP BY hour ORDER BY hour`,
  );
  const ends: number[] = [];
  let rows = 0;
  for (const [seconds, count] of hours) {
    rows += Number(count);
    if (rows < CLI_LIMITS.exportStatementRows) continue;
    rows = 0;
    ends.push(Math.min(Number(seconds) * 1_000 + HOUR_MS, to));
  }
  if (ends.at(-1) !== to) ends.push(to);
  return ends.map((end, place) => eventStatement(options, ends[place - 1] ?? from, end));
}

const HOUR_MS = 3_600_000;

function memberStatement(segmentId: string, { game, environment }: ExportOptions): string {
  return (
    'SELECT external_id, player_id, entered_at FROM segment_memberships ' +
    `WHERE game_id = ${literal(game)} AND environment = ${literal(environment)} AND segment_id = ${literal(segmentId)} ` +
    'ORDER BY player_id'
  );
}
