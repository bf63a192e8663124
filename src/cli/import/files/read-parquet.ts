import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  loadNativeEngine,
  type NativeConnection,
  type NativeEngine,
} from '../../../local/clickhouse/engine/native-engine.ts';
import { CLI_LIMITS } from '../../limits.ts';
import { CliError } from '../../cli-error.ts';
import { parquetLine, type ParquetColumns } from './parquet-rows.ts';
import { parquetType } from './parquet-types.ts';

/**
 * The rows of a Parquet file as the lines of JSON that NDJSON would have, in the order of the file. An engine in this
 * process reads it, with the rights of who runs the command: the service's engine never opens a path from outside.
 */
export async function* readParquet(path: string): AsyncGenerator<Uint8Array> {
  const whole = resolve(path);
  const folder = mkdtempSync(join(tmpdir(), 'parquet-'));
  // The engine takes some characters of a path for a pattern, so it gets another name of the file.
  const name = join(folder, 'import.parquet');
  symlinkSync(whole, name);
  const engine = loadNativeEngine();
  const connection = engine.CreateConnection(folder, []);
  if (connection === null) throw new CliError('The engine that reads Parquet did not start.');
  try {
    const columns = await readColumns(engine, connection, name);
    const stream = engine.StreamQuery(connection, rowsStatement(name), 'JSONEachRow');
    for (;;) {
      const { done, bytes } = await engine.StreamFetch(stream);
      if (bytes.length > 0) yield asLines(bytes, columns);
      if (done) return;
    }
  } catch (error) {
    throw new CliError(`${whole} cannot be read as Parquet. ${reasonOf(error)}`);
  } finally {
    engine.CloseConnection(connection);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function readColumns(engine: NativeEngine, connection: NativeConnection, path: string): Promise<ParquetColumns> {
  const rows = async (sql: string): Promise<Record<string, unknown>[]> => {
    const { bytes } = await engine.QueryAsyncConnection(connection, sql, 'JSONEachRow');
    const lines = Buffer.from(bytes).toString('utf8').split('\n');
    return lines.filter((line) => line !== '').map((line): Record<string, unknown> => JSON.parse(line));
  };
  const described = await rows(`DESCRIBE TABLE file(${quoted(path)}, 'Parquet') SETTINGS ${READING}`);
  const leaves = await rows(
    `SELECT arrayJoin(columns).logical_type AS logical FROM file(${quoted(path)}, 'ParquetMetadata')`,
  );
  const logical = leaves.map((leaf) => String(leaf['logical']));
  return described.map(({ name, type }) => ({ name: String(name), type: parquetType(String(type), logical) }));
}

const LINE_FEED = 0x0a;

function asLines(bytes: Uint8Array, columns: ParquetColumns): Buffer {
  const rows = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const lines: Buffer[] = [];
  for (let from = 0; from < rows.length;) {
    const end = rows.indexOf(LINE_FEED, from);
    const to = end < 0 ? rows.length : end;
    lines.push(parquetLine(rows.subarray(from, to), columns), BREAK);
    from = to + 1;
  }
  return Buffer.concat(lines);
}

const BREAK = Buffer.from('\n');

/** What the engine says, without its codes and its advice, which is about statements of SQL. */
function reasonOf(error: unknown): string {
  const lines = (error instanceof Error ? error.message : String(error)).split('\n');
  const useful = lines.filter((line) => line !== '' && !line.startsWith('You can specify'));
  return (useful.at(-1) ?? '').replace(/^Code: \d+\. DB::Exception: /, '');
}

/** How columns are understood: JSON as its text, times in UTC, and nothing of geography. */
const READING =
  'input_format_parquet_enable_json_parsing = 0, input_format_parquet_allow_geoparquet_parser = 0, ' +
  'input_format_parquet_local_time_as_utc = 1, print_pretty_type_names = 0, describe_compact_output = 1';

function rowsStatement(path: string): string {
  return (
    `SELECT * FROM file(${quoted(path)}, 'Parquet') SETTINGS ${READING}, max_threads = 1, max_parsing_threads = 1, ` +
    `input_format_parquet_preserve_order = 1, max_block_size = ${ROWS_PER_CHUNK}, ` +
    `max_memory_usage = ${CLI_LIMITS.importParquetBytes}, session_timezone = 'UTC', date_time_output_format = 'iso', ` +
    'output_format_json_quote_64bit_integers = 1, output_format_json_quote_decimals = 1, ' +
    'output_format_json_named_tuples_as_objects = 1'
  );
}

const quoted = (path: string): string => `'${path.replaceAll(/[\\']/g, String.raw`\$&`)}'`;

const ROWS_PER_CHUNK = 4_096;
