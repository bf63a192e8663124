import type { Caller } from '../../../sql-gate/caller.ts';
import { randomUUID } from 'node:crypto';
import { join, resolve } from 'node:path';
import { quoteIdentifier, quoteString } from '../../../../clickhouse-schema/quoting.ts';
import { GAME_SETTING, writeEngineConfig } from './engine-config.ts';
import { openInsertFiles, type InsertFiles } from './insert-files.ts';
import { loadNativeEngine, type NativeConnection, type NativeEngine, type NativeStream } from './native-engine.ts';
import { READER_DEFAULTS } from '../../../sql-gate/allowed-settings.ts';

/**
 * The ClickHouse engine in this process, over one data directory.
 *
 * Every statement has its own connection (opened in less than 1 ms), so settings, parameters and the current database
 * end with it, and statements run in parallel. A connection takes its role before any of the caller's text reaches it.
 */
export interface Engine {
  readonly version: string;
  /**
   * Opens a connection for one statement. Rejects with the engine's message if it refuses a setting or the database.
   */
  connect(options: ConnectOptions): Promise<EngineConnection>;
  /** Classifies a statement with ClickHouse's parser. */
  classify(sql: string): Promise<{ statementCount: number; queryClass: number }>;
  /**
   * Runs a statement on a new connection. An engine that hangs never settles this, or blocks the thread, because a new
   * connection needs the locks that a hanging one holds.
   */
  answer(): Promise<void>;
  /** Cancels every running statement except inserts, each at its next check. */
  cancelReads(): void;
}

export interface ConnectOptions {
  caller: Caller;
  /** The only game whose rows an analyst reads; undefined: all of them. */
  game: string | undefined;
  database: string;
  settings: ReadonlyMap<string, string>;
  /** Values of `{name:Type}` placeholders, in ClickHouse's escaped text form. */
  parameters: ReadonlyMap<string, string>;
  /**
   * Whether the statement shows the settings and sets none. An analyst's settings then look changeable, because
   * clients send no setting that looks fixed.
   */
  showsSettings: boolean;
}

export interface Written {
  rows: number;
  sizeBytes: number;
}

/** An approved INSERT with its data. */
export interface InsertStatement {
  /** `INSERT INTO table (columns)`. */
  into: string;
  /** The rest of the statement, up to its format. */
  format: string;
  data: Buffer;
  /** Whether the data can contain an empty line, so that it has to be a file. */
  binary: boolean;
}

export interface EngineConnection {
  /** Runs a statement and buffers its whole result. */
  run(sql: string, format: string): Promise<Uint8Array>;
  /** Runs a SELECT and yields its result in chunks; each chunk is a complete document of `format`. */
  stream(sql: string, format: string): AsyncGenerator<Uint8Array>;
  /** Inserts `data`. */
  insert(insert: InsertStatement): Promise<Written>;
  /** Cancels the running statement at its next check. */
  cancel(): void;
  /** Closes the connection and what still streams on it. Call it only when no call is pending. */
  close(): void;
}

/** The folders that the engine writes: its data, its configuration, the data of inserts. */
export function foldersOf(dataDir: string): [data: string, config: string, inserts: string] {
  const root = resolve(dataDir);
  return [join(root, 'clickhouse'), join(root, 'clickhouse-config'), join(root, 'clickhouse-inserts')];
}

/** Opens or creates the data directory `$dataDir/clickhouse`. Rejects if another process has it open. */
export async function openEngine(options: { dataDir: string; database: string }): Promise<Engine> {
  const native = loadNativeEngine();
  const [path, configFolder, insertFolder] = foldersOf(options.dataDir);
  const configPath = writeEngineConfig(configFolder, options.database);
  // The first connection starts the engine and keeps it open. It classifies statements and cancels those of others.
  const control = open(native, path, [`--config-file=${configPath}`]);
  // This process has the data directory to itself now.
  const files = openInsertFiles(insertFolder);
  const database = quoteIdentifier(options.database);
  await native.QueryAsyncConnection(control, `SET ROLE control; CREATE DATABASE IF NOT EXISTS ${database}`, 'Null');
  const answer = await native.QueryAsyncConnection(control, 'SELECT version()', 'TabSeparated');
  const connectNew = (connectOptions: ConnectOptions) => connect(native, { control, files, path }, connectOptions);
  const select1 = async (): Promise<void> => {
    const analyst = {
      caller: 'analyst',
      game: undefined,
      database: options.database,
      settings: new Map(),
      parameters: new Map(),
      showsSettings: false,
    } as const;
    const connection = await connectNew(analyst);
    await connection.run("SELECT toDateTime(0, 'UTC')", 'Null').finally(() => connection.close());
  };
  let answering: Promise<void> | undefined;
  return {
    version: Buffer.from(answer.bytes).toString('utf8').trim(),
    connect: connectNew,
    answer() {
      // One statement for all callers at a time: every process of this machine may ask.
      answering ??= select1().finally(() => (answering = undefined));
      return answering;
    },
    classify: (sql) => native.DurableClassifyAsync(control, sql, options.database),
    cancelReads: () => kill(native, control, "query_kind NOT IN ('Insert', 'KillQuery')"),
  };
}

function open(native: NativeEngine, path: string, settings: readonly string[] = []): NativeConnection {
  const connection = native.CreateConnection(path, settings);
  if (connection === null) throw new Error(`The engine gave no connection to ${path}`);
  return connection;
}

function kill(native: NativeEngine, control: NativeConnection, condition: string): void {
  // Fails only if the statement has already ended.
  native.QueryAsyncConnection(control, `KILL QUERY WHERE ${condition} ASYNC`, 'Null').catch(() => {});
}

async function connect(
  native: NativeEngine,
  { control, files, path }: { control: NativeConnection; files: InsertFiles; path: string },
  options: ConnectOptions,
): Promise<EngineConnection> {
  // The comment identifies a running statement when it is cancelled.
  const mark = randomUUID();
  const connection = open(native, path);
  try {
    await native.QueryAsyncConnection(connection, preparation(options, mark), 'Null');
  } catch (error) {
    native.CloseConnection(connection);
    throw error;
  }
  const streams = new Set<NativeStream>();
  return {
    run: async (sql, format) => (await native.QueryAsyncConnection(connection, sql, format)).bytes,
    stream: (sql, format) => stream(native, connection, streams, sql, format),
    async insert({ into, format, data, binary }) {
      const run = (sql: string, inline: Buffer) => native.InsertRawAsyncConnection(connection, sql, inline, false);
      const written = await (binary
        ? files.hold(data, (file) => run(`${into} FROM INFILE '${file}' COMPRESSION 'none' ${format}`, Buffer.alloc(0)))
        : run(`${into} ${format} `, data));
      return { rows: written.rowsWritten, sizeBytes: written.bytesWritten };
    },
    cancel: () => kill(native, control, `Settings['log_comment'] = ${quoteString(mark)}`),
    close() {
      // The addon cancels a stream that is open when it is collected as garbage. Its connection must still exist then:
      // without it, the whole engine hangs.
      for (const running of streams) native.StreamCancel(running);
      native.CloseConnection(connection);
    },
  };
}

async function* stream(
  native: NativeEngine,
  connection: NativeConnection,
  open: Set<NativeStream>,
  sql: string,
  format: string,
): AsyncGenerator<Uint8Array> {
  const running = native.StreamQuery(connection, sql, format);
  open.add(running);
  try {
    for (;;) {
      // A stream that failed has ended in the addon.
      const chunk = await native.StreamFetch(running).catch((error: unknown) => {
        open.delete(running);
        throw error;
      });
      if (chunk.done) {
        open.delete(running);
        return;
      }
      yield chunk.bytes;
    }
  } finally {
    // The caller stopped between two fetches, so nothing runs on the stream.
    if (open.delete(running)) native.StreamCancel(running);
  }
}

/** The statements that set up a new connection for its caller. An analyst's statement cannot undo them. */
function preparation(options: ConnectOptions, mark: string): string {
  const analyst = options.caller === 'analyst';
  const settings = new Map([...(analyst ? Object.entries(READER_DEFAULTS) : []), ...options.settings]);
  settings.set('log_comment', mark);
  settings.set(GAME_SETTING, options.game ?? '');
  // With readonly = 1 no setting can change, neither by SET nor by a SETTINGS clause, so it comes last.
  const readonly = analyst ? (options.showsSettings ? '2' : '1') : settings.get('readonly');
  settings.delete('readonly');
  if (readonly !== undefined) settings.set('readonly', readonly);
  const parameters = [...options.parameters].map(([name, value]) => [`param_${name}`, value] as const);
  // Each statement costs the engine 0.3 ms, so all assignments are one.
  const assignments = [...parameters, ...settings].map(([name, value]) => `${name} = ${quoteString(value)}`);
  return [
    `SET ROLE ${options.game === undefined ? options.caller : 'game_analyst'}`,
    `USE ${quoteIdentifier(options.database)}`,
    `SET ${assignments.join(', ')}`,
  ].join('; ');
}
