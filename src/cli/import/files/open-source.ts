import { createReadStream, type BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { CliError } from '../../cli-error.ts';
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

/** The fields that show whether a file was written or replaced. */
export type FileState = Pick<BigIntStats, 'dev' | 'ino' | 'size' | 'mtimeNs' | 'ctimeNs'>;

/** The state of a file, which is no folder. */
export async function stateOf(path: string): Promise<BigIntStats> {
  const found = await stat(path, { bigint: true }).catch((error: unknown) => {
    throw fileError(path, error);
  });
  if (found.isDirectory()) throw new CliError(`${resolve(path)} is a folder; name the files in it.`);
  return found;
}

/** Throws if a file is no longer as it was: lines of two contents must not count as those of one file. */
export async function requireUnchanged(path: string, { dev, ino, size, mtimeNs, ctimeNs }: FileState): Promise<void> {
  const now = await stateOf(path);
  const isSame = now.dev === dev && now.ino === ino && now.size === size;
  if (isSame && now.mtimeNs === mtimeNs && now.ctimeNs === ctimeNs) return;
  throw new CliError(`${resolve(path)} changed while it was read. Import a copy that no program writes to.`);
}

/** Opens a file to read it once. @param expected throws from `chunks` if the file is or becomes another one */
export async function openFile(path: string, kind: FileKind, expected?: FileState): Promise<OpenFile> {
  const { chunks, share } = await open(path, kind);
  if (expected === undefined) return { chunks, share };
  async function* unchanged(): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      await requireUnchanged(path, expected ?? (await stateOf(path)));
      yield chunk;
    }
  }
  return { chunks: unchanged(), share };
}

async function open(path: string, kind: FileKind): Promise<OpenFile> {
  const size = Number((await stateOf(path)).size);
  if (kind === 'parquet') {
    if (path.toLowerCase().endsWith('.gz'))
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
  if (!path.toLowerCase().endsWith('.gz')) return { chunks: asText(counted(), path), share };
  const source = Readable.from(counted(), { objectMode: false });
  const unzipped = createGunzip();
  source.on('error', (error) => unzipped.destroy(error));
  return { chunks: asText(asBytes(source.pipe(unzipped), path), path), share };
}

/** First bytes of files that are not text, and would only have faulty lines. No id of a list begins with them. */
const OTHER_KINDS: readonly [bytes: Buffer, remedy: string][] = [
  [Buffer.from([0x1f, 0x8b]), 'is compressed by gzip. Let its name end with .gz once'],
  [Buffer.from('PK\u0003\u0004'), 'is a ZIP archive. Unpack it'],
  [Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), 'is compressed by zstd. Unpack it'],
  [Buffer.from('BZh91AY&SY'), 'is compressed by bzip2. Unpack it'],
  [Buffer.from('PAR1\u0015'), 'is Parquet. Import it with --format parquet'],
  [Buffer.from([0xff, 0xfe]), 'is UTF-16. Save it as UTF-8'],
  [Buffer.from([0xfe, 0xff]), 'is UTF-16. Save it as UTF-8'],
];

async function* asText(chunks: AsyncIterable<Uint8Array>, path: string): AsyncGenerator<Uint8Array> {
  let isFirst = true;
  for await (const chunk of chunks) {
    const other = isFirst ? OTHER_KINDS.find(([bytes]) => bytes.equals(chunk.subarray(0, bytes.length))) : undefined;
    if (other !== undefined) throw new CliError(`The content of ${resolve(path)} ${other[1]}.`);
    isFirst = false;
    yield chunk;
  }
}

/** Bytes of one read of a file. */
const READ_BYTES = 256 * 1024;

export function readFile(path: string): AsyncIterable<Uint8Array> {
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
