import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { foldersOf } from './engine/engine.ts';

/*
 * Readers of one game each, in `$DATA_DIR/clickhouse-config/readers.json` (mode 0600). The command line writes the
 * file, and the engine's process reads it for each request with a token, so a removed reader is out at once. It holds
 * digests of tokens only.
 */

export interface GameReader {
  /** Also the name of the user. */
  name: string;
  game: string;
  /** SHA-256 of the token, in hexadecimal digits. */
  digest: string;
}

const fileOf = (dataDir: string): string => join(foldersOf(dataDir)[1], 'readers.json');

export function gameReaders(dataDir: string): readonly GameReader[] {
  try {
    const readers: readonly GameReader[] = JSON.parse(readFileSync(fileOf(dataDir), 'utf8'));
    return readers;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

export function writeGameReaders(dataDir: string, readers: readonly GameReader[]): void {
  const file = fileOf(dataDir);
  mkdirSync(foldersOf(dataDir)[1], { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.new`, JSON.stringify(readers), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

export const digestOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/** The game of the reader with this name and token. */
export function gameOfReader(readers: readonly GameReader[], name: string, token: string): string | undefined {
  const digest = digestOf(token);
  return readers.find((reader) => reader.name === name && reader.digest === digest)?.game;
}
