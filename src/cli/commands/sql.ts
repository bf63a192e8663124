import { once } from 'node:events';
import { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import type { CliContext } from '../context.ts';
import { safeCsv } from '../export/safe-csv.ts';
import { fetchClickhouse } from '../fetch-clickhouse.ts';

interface SqlOptions {
  format?: string;
  write?: true;
}

/** `sql "SELECT …"` */
export function sqlCommand(context: CliContext): Command {
  return new Command('sql')
    .description('Run one statement on ClickHouse and print its result.')
    .argument('<statement>', 'e.g. "SELECT event_name, count() FROM events GROUP BY ALL"')
    .option('--format <format>', 'a ClickHouse format (default: a table on a terminal, TSV with names in a pipe)')
    .option('--write', 'allow the statement to change data')
    .action((statement: string, options: SqlOptions) => runSql(statement, options, context));
}

async function runSql(statement: string, options: SqlOptions, context: CliContext): Promise<void> {
  const address = context.clickhouse();
  const { url, database } = address;
  const target = new URL(url);
  target.searchParams.set('database', database);
  target.searchParams.set(
    'default_format',
    options.format ?? (process.stdout.isTTY ? 'PrettyCompactMonoBlock' : 'TSVWithNames'),
  );
  if (options.write !== true) target.searchParams.set('readonly', '1');
  const response = await fetchClickhouse(address, target, statement).catch((error: unknown) => {
    throw new CliError(`Could not connect to ClickHouse at ${url}: ${reason(error)}`);
  });
  if (!response.ok) throw new CliError(refusalOf(await response.text(), options.write === true));
  const rows = response.body ?? EMPTY;
  for await (const chunk of isCsv(options.format) ? safeCsv(rows) : rows) {
    if (!process.stdout.write(chunk)) await once(process.stdout, 'drain');
  }
}

const EMPTY: AsyncIterable<Uint8Array> = { async *[Symbol.asyncIterator]() {} };

/** The formats that spreadsheets open: texts in them must not run as formulas. */
const isCsv = (format = ''): boolean => ['CSV', 'CSVWithNames', 'CSVWithNamesAndTypes'].includes(format);

/** What ClickHouse answered to a refused statement, and the remedy if it would change data. */
export function refusalOf(text: string, mayWrite: boolean): string {
  const refused = text.trim();
  return mayWrite || !refused.includes('Cannot execute query in readonly mode') ? refused : `${refused}\n${REMEDY}`;
}

const REMEDY =
  'Without --write, one SELECT, SHOW, DESCRIBE, EXISTS or EXPLAIN of a SELECT is allowed. To run a statement that ' +
  'changes data, add --write.';

function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
