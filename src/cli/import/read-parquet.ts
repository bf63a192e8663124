import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { loadNativeEngine } from '../../../clickhouse-schema/embedded/native-engine.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { CliError } from '../cli-error.ts';

/**
 * The rows of a Parquet file as lines of JSON, in the order of the file. An engine in this process reads it, with the
 * rights of who runs the command: the service's engine never opens a path from outside. Integers of 64 bits are texts,
 * because JSON numbers would lose digits.
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
    const stream = engine.StreamQuery(connection, statementOf(name), 'JSONEachRow');
    for (;;) {
      const { done, bytes } = await engine.StreamFetch(stream);
      if (bytes.length > 0) yield bytes;
      if (done) return;
    }
  } catch (error) {
    throw new CliError(`${whole} cannot be read as Parquet. ${reasonOf(error)}`);
  } finally {
    engine.CloseConnection(connection);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What the engine says, without its codes and its advice, which is about statements of SQL. */
function reasonOf(error: unknown): string {
  const lines = (error instanceof Error ? error.message : String(error)).split('\n');
  const useful = lines.filter((line) => line !== '' && !line.startsWith('You can specify'));
  return (useful.at(-1) ?? '').replace(/^Code: \d+\. DB::Exception: /, '');
}

function statementOf(path: string): string {
  const quoted = path.replaceAll(/[\\']/g, String.raw`\$&`);
  return (
    `SELECT * FROM file('${quoted}', 'Parquet') SETTINGS max_threads = 1, max_parsing_threads = 1, ` +
    `max_block_size = ${ROWS_PER_CHUNK}, max_memory_usage = ${LIMITS.importParquetBytes}, ` +
    "output_format_json_quote_64bit_integers = 1, session_timezone = 'UTC'"
  );
}

const ROWS_PER_CHUNK = 4_096;
