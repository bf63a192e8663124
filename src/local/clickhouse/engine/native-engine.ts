import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** An opaque connection of the engine. */
export type NativeConnection = { readonly nativeConnection: unique symbol };
/** A running streamed SELECT. */
export type NativeStream = { readonly nativeStream: unique symbol };

/**
 * The parts of chdb's native addon that this interface uses. chdb's public API lacks two required functions (inserting
 * raw bytes in any format, and classifying a statement with ClickHouse's parser), and it closes a connection only while
 * no other one is busy. So the addon is used directly and chdb's version is pinned.
 *
 * Rules of the addon: close a connection only when nothing runs on it; cancel a stream only between fetches. All
 * asynchronous calls run on libuv's threads and reject with the engine's message.
 */
export interface NativeEngine {
  /** Opens a connection. The first one starts the engine on `path` with `settings` as its command line. Synchronous. */
  CreateConnection(path: string, settings?: readonly string[]): NativeConnection | null;
  CloseConnection(connection: NativeConnection): void;
  QueryAsyncConnection(connection: NativeConnection, sql: string, format: string): Promise<{ bytes: Uint8Array }>;
  /** Starts a SELECT without waiting for data. Other statements fail with `Streaming query is not supported`. */
  StreamQuery(connection: NativeConnection, sql: string, format: string): NativeStream;
  /** The next chunk: a complete document of the format, including headers. */
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

/** The engine's numbers for kinds of statements. */
export const STATEMENT_CLASS = {
  /** SELECT, SHOW, DESCRIBE, EXPLAIN: changes nothing. */
  readOnly: 0,
  /** INSERT, CREATE, ALTER, DROP. */
  mutating: 1,
  /** Functions, users, named collections. */
  mutatingGlobal: 2,
  /** SET, USE, SYSTEM, KILL, BACKUP, INTO OUTFILE. */
  control: 3,
  /** The parser cannot parse it. */
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
