import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { loadNativeEngine } from '../../local/clickhouse/engine/native-engine.ts';
import { CLI_LIMITS } from '../limits.ts';
import { CliError } from '../cli-error.ts';
import { literal, type QueryRows } from './clickhouse-rows.ts';
import { safeCsv } from './safe-csv.ts';

/* Writes the results of queries one after another to one file, or to standard output, with memory for some chunks. */

export type ExportFormat = 'ndjson' | 'csv' | 'parquet';
export const EXPORT_FORMATS = ['ndjson', 'csv', 'parquet'] as const satisfies readonly ExportFormat[];

export interface ExportOptions {
  query: QueryRows;
  /** Queries with the same columns. */
  statements: readonly string[];
  format: ExportFormat;
  /** `undefined`: standard output. */
  output: string | undefined;
}

/** A file gets its name when it is whole. */
export async function exportRows({ query, statements, format, output }: ExportOptions): Promise<void> {
  if (output === undefined) {
    if (format === 'parquet') throw new CliError('Parquet needs --output FILE.');
    for await (const chunk of textOf(query, statements, format)) {
      if (!process.stdout.write(chunk)) await once(process.stdout, 'drain');
    }
    return;
  }
  const folder = mkdtempSync(join(dirname(resolve(output)), '.export-'));
  try {
    const whole = join(folder, 'rows');
    if (format === 'parquet') {
      const rows = join(folder, 'native');
      await writeTo(rows, nativeOf(query, statements));
      await toParquet(rows, whole, join(folder, 'engine'));
    } else await writeTo(whole, textOf(query, statements, format));
    renameSync(whole, output);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function* textOf(
  query: QueryRows,
  statements: readonly string[],
  format: Exclude<ExportFormat, 'parquet'>,
): AsyncGenerator<Uint8Array> {
  let hasHeader = false;
  for (const statement of statements) {
    const name = format === 'ndjson' ? 'JSONEachRow' : hasHeader ? 'CSV' : 'CSVWithNames';
    const rows = query(statement, name);
    yield* format === 'csv' ? safeCsv(rows) : rows;
    hasHeader = true;
  }
}

async function* nativeOf(query: QueryRows, statements: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const statement of statements) yield* query(statement, 'Native');
}

async function writeTo(path: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const file = openSync(path, 'w');
  try {
    for await (const chunk of chunks) {
      for (let from = 0; from < chunk.length;) from += writeSync(file, chunk, from);
    }
  } finally {
    closeSync(file);
  }
}

/** An engine in this process writes Parquet, because a result in Parquet cannot be sent in pieces. */
async function toParquet(rows: string, path: string, folder: string): Promise<void> {
  const engine = loadNativeEngine();
  const connection = engine.CreateConnection(folder, []);
  if (connection === null) throw new CliError('The engine that writes Parquet did not start.');
  try {
    const statement =
      `INSERT INTO FUNCTION file(${literal(path)}, 'Parquet') SELECT * FROM file(${literal(rows)}, 'Native') ` +
      `SETTINGS max_threads = 1, max_memory_usage = ${CLI_LIMITS.importParquetBytes}`;
    await engine.QueryAsyncConnection(connection, statement, 'Null');
  } catch (error) {
    throw new CliError(`Could not write Parquet: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    engine.CloseConnection(connection);
  }
}
