import { createHash, hash, type Hash } from 'node:crypto';
import { resolve } from 'node:path';
import { CliError } from '../../cli-error.ts';
import type { KnownImport } from '../import-state.ts';
import { readFile, requireUnchanged, stateOf, type FileState } from './open-source.ts';

/** A file by its content. */
export interface ImportSource {
  importId: string;
  sizeBytes: number;
  /** It must be read as this. */
  state: FileState;
}

export interface ImportSourceOptions {
  path: string;
  /** What else an import is known by: the same content for another game is another import. */
  scope: readonly string[];
  /** Imports of this machine. */
  known: readonly KnownImport[];
}

/**
 * Reads a file once to know which import it is. The same content is the same import, wherever the file lies. A file
 * that has grown since it was imported is refused, because its lines would count twice.
 */
export async function readImportSource({ path, scope, known }: ImportSourceOptions): Promise<ImportSource> {
  const state = await stateOf(path);
  if (!state.isFile()) {
    throw new CliError(`${resolve(path)} is no regular file. An import reads it twice: store the lines in a file.`);
  }
  const idOf = (digest: Hash): string =>
    hash('sha256', [digest.digest('hex'), ...scope].join('\n'), 'hex').slice(0, IMPORT_ID_DIGITS);
  const sizes = [...new Set(known.map(({ sizeBytes }) => sizeBytes))].sort((one, other) => one - other);
  const digest = createHash('sha256');
  let sizeBytes = 0;
  for await (const chunk of readFile(path)) {
    let from = 0;
    for (let [size] = sizes; size !== undefined && size <= sizeBytes + chunk.length; [size] = sizes) {
      sizes.shift();
      const to = size - sizeBytes;
      digest.update(chunk.subarray(from, to));
      from = to;
      if (BigInt(size) < state.size) refuseGrown(path, size, idOf(digest.copy()), known);
    }
    digest.update(chunk.subarray(from));
    sizeBytes += chunk.length;
  }
  await requireUnchanged(path, state);
  return { importId: idOf(digest), sizeBytes, state };
}

const IMPORT_ID_DIGITS = 32;

function refuseGrown(path: string, size: number, importId: string, known: readonly KnownImport[]): void {
  const earlier = known.find((one) => one.sizeBytes === size && one.importId === importId);
  if (earlier === undefined) return;
  const whole = resolve(path);
  const first = earlier.done ? '' : `Finish the earlier import with a file of \`head -c ${size}\`. `;
  throw new CliError(
    `The first ${size} bytes of ${whole} were imported ${earlier.done ? '' : 'in part '}before, and would count ` +
      `twice. ${first}Import what was added: \`tail -c +${size + 1}\` (a CSV file needs its first line too).`,
  );
}
