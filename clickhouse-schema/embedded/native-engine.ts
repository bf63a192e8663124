import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** A connection of the engine; only its functions look inside. */
export type NativeConnection = { readonly nativeConnection: unique symbol };
/** A running streamed SELECT. */
export type NativeStream = { readonly nativeStream: unique symbol };

/**
 * chdb's native addon as this interface uses it. chdb's public API does not reach two things needed here (inserts of raw
 * bytes in any format, and ClickHouse's own parser telling what a statement does) and closes a connection only when no
 * other one is busy, so the addon is used directly and chdb's version is pinned.
 *
 * Rules of the addon: a connection is closed only when nothing runs on it; a stream is cancelled only between fetches. All
 * asynchronous calls run on libuv's threads and reject with the engine's message.
 */
export interface NativeEngine {
  /** Opens a connection; the first one starts the engine over `path` with `settings` as its command line. Synchronous. */
  CreateConnection(path: string, settings?: readonly string[]): NativeConnection | null;
  CloseConnection(connection: NativeConnection): void;
  QueryAsyncConnection(connection: NativeConnection, sql: string, format: string): Promise<{ bytes: Uint8Array }>;
  /** Starts a SELECT; other statements are refused with `Streaming query is not supported`. Does not wait for data. */
  StreamQuery(connection: NativeConnection, sql: string, format: string): NativeStream;
  /** The next chunk; each is a whole document of the format, headers included. */
  StreamFetch(stream: NativeStream): Promise<{ done: boolean; bytes: Uint8Array }>;
  StreamCancel(stream: NativeStream): void;
  /** Inserts `body` as the data of the INSERT statement `prefix`, which ends with a space. */
  InsertRawAsyncConnection(
    connection: NativeConnection,
    prefix: string,
    body: Buffer,
    countLines: boolean,
  ): Promise<{ rowsWritten: number; bytesWritten: number }>;
  /** Classifies `sql` without running it. `queryClass` is one of `STATEMENT_CLASS`. */
  DurableClassifyAsync(
    connection: NativeConnection,
    sql: string,
    database: string,
  ): Promise<{ statementCount: number; queryClass: number }>;
}

/** What a statement can do, as the engine's parser numbers it. */
export const STATEMENT_CLASS = {
  /** SELECT, SHOW, DESCRIBE, EXPLAIN: leaves no trace. */
  readOnly: 0,
  /** INSERT, CREATE, ALTER, DROP. */
  mutating: 1,
  /** Functions, users, named collections. */
  mutatingGlobal: 2,
  /** SET, USE, SYSTEM, KILL, BACKUP, INTO OUTFILE. */
  control: 3,
  /** Nothing the parser knows. */
  unknown: 4,
} as const;

/** Loads the addon for this platform through chdb's own loader. */
export function loadNativeEngine(): NativeEngine {
  const require = createRequire(import.meta.url);
  const loader: { loadNative(): NativeEngine } = require(
    join(dirname(require.resolve('chdb/package.json')), 'dist', 'loader.js'),
  );
  return loader.loadNative();
}
