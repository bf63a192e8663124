import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { CliError } from '../cli-error.ts';
import { readParquet } from './read-parquet.ts';

/* Opens files of history, of any size, with memory for some chunks. */

export type FileKind = 'ndjson' | 'csv' | 'parquet';
export const FILE_KINDS = ['ndjson', 'csv', 'parquet'] as const satisfies readonly FileKind[];

export interface OpenFile {
  /** Rows of Parquet are lines of JSON. */
  chunks: AsyncIterable<Uint8Array>;
  /** The share of the file that was read, 0 to 1; `undefined`: unknown. */
  share: () => number | undefined;
}

/** The kind that a name ends with, before `.gz`. */
export function fileKindOf(path: string): FileKind | undefined {
  const name = path.toLowerCase().replace(/\.gz$/, '');
  if (name.endsWith('.csv')) return 'csv';
  if (name.endsWith('.parquet')) return 'parquet';
  return /\.(ndjson|jsonl|json)$/.test(name) ? 'ndjson' : undefined;
}

/** The SHA-256 of a file in hexadecimal. */
export async function digestOfFile(path: string): Promise<string> {
  const digest = createHash('sha256');
  for await (const chunk of readFile(path)) digest.update(chunk);
  return digest.digest('hex');
}

export async function openFile(path: string, kind: FileKind): Promise<OpenFile> {
  const found = await stat(path).catch((error: unknown) => {
    throw fileError(path, error);
  });
  if (found.isDirectory()) throw new CliError(`${resolve(path)} is a folder; name the files in it.`);
  const { size } = found;
  if (kind === 'parquet') {
    if (path.endsWith('.gz'))
      throw new CliError(`${path}: unpack the file first; Parquet has a compression of its own.`);
    return { chunks: readParquet(path), share: () => undefined };
  }
  let read = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of readFile(path)) {
      read += chunk.length;
      yield chunk;
    }
  }
  const share = () => (size === 0 ? 1 : read / size);
  if (!path.toLowerCase().endsWith('.gz')) return { chunks: counted(), share };
  const source = Readable.from(counted(), { objectMode: false });
  const unzipped = createGunzip();
  source.on('error', (error) => unzipped.destroy(error));
  return { chunks: asBytes(source.pipe(unzipped), path), share };
}

/** Bytes of one read of a file. */
const READ_BYTES = 256 * 1024;

function readFile(path: string): AsyncIterable<Uint8Array> {
  return asBytes(createReadStream(path, { highWaterMark: READ_BYTES }), path);
}

async function* asBytes(stream: AsyncIterable<unknown>, path: string): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of stream) if (chunk instanceof Uint8Array) yield chunk;
  } catch (error) {
    throw fileError(path, error);
  }
}

/** Names the whole path: through npm, a relative one is looked for in the folder of the package. */
function fileError(path: string, error: unknown): CliError {
  if (error instanceof CliError) return error;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const whole = resolve(path);
  if (code === 'ENOENT') return new CliError(`There is no file ${whole}.`);
  return new CliError(`${whole}: ${error instanceof Error ? error.message : String(error)}`);
}
