import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ClickhouseAddress } from '../../../clickhouse-schema/clickhouse-address.ts';
import { engineCommand } from '../../../src/local/clickhouse/engine/engine-command.ts';

const PASSWORD = 'for-tests-only';

/** An embedded ClickHouse for one test: a free port, a temporary folder, a real process. */
export interface TestClickhouse {
  readonly url: string;
  /** The account that may write. */
  readonly address: ClickhouseAddress;
  readonly pid: number;
  /** Ends the process (kill -9 unless said otherwise) and waits until it has ended. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Closes its standard input, as the death of its supervisor does, and waits until it has ended. */
  orphan(): Promise<void>;
  /** Starts a second one on the same folder and another port; rejects with its output. */
  another(): Promise<void>;
  /** Restarts it on the same data and port. */
  restart(): Promise<void>;
  /** Ends it and removes its folder. */
  close(): Promise<void>;
}

/** Starts one; resolves when it answers. `env` overrides its environment. */
export async function startClickhouse(env: Record<string, string> = {}): Promise<TestClickhouse> {
  const folder = mkdtempSync(join(tmpdir(), 'clickhouse-test-'));
  let running = await launch(folder, 0, env);
  const { port } = running;
  const url = `http://127.0.0.1:${port}`;

  async function kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    if (running.child.exitCode !== null || running.child.signalCode !== null) return;
    const ended = once(running.child, 'exit');
    running.child.kill(signal);
    await ended;
  }

  return {
    url,
    address: { url, user: 'service', password: PASSWORD, database: env['CLICKHOUSE_DATABASE'] ?? 'default' },
    get pid() {
      return running.child.pid ?? 0;
    },
    kill,
    async orphan() {
      const ended = once(running.child, 'exit');
      running.child.stdin?.end();
      await ended;
    },
    async another() {
      const second = await launch(folder, 0, env);
      second.child.kill('SIGKILL');
    },
    async restart() {
      running = await launch(folder, port, env);
    },
    async close() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Waits for the line `listening`, which names the port. */
async function launch(
  folder: string,
  port: number,
  env: Record<string, string>,
): Promise<{ child: ChildProcess; port: number }> {
  const { command, args } = engineCommand({ dataDir: env['DATA_DIR'] ?? folder, port, confine: true });
  const child = spawn(command, args, {
    env: {
      PATH: process.env['PATH'],
      DATA_DIR: folder,
      EMBEDDED_CLICKHOUSE_PORT: String(port),
      CLICKHOUSE_USER: 'service',
      CLICKHOUSE_PASSWORD: PASSWORD,
      LOG_LEVEL: 'info',
      // Ends the engine with the test run, however the run ends.
      SUPERVISED: '1',
      ...env,
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  const said: string[] = [];
  for await (const line of lines) {
    said.push(line);
    const entry: { msg?: string; port?: number } = JSON.parse(line);
    if (entry.msg === 'listening' && entry.port !== undefined) {
      child.stdout.resume();
      return { child, port: entry.port };
    }
  }
  throw new Error(`the embedded ClickHouse did not start: ${said.join('\n')}`);
}

/**
 * Runs a statement over HTTP as the service, or as the passwordless reader; answers status, body and headers. The
 * caller looks at the status: use `execSql` for a statement that must succeed.
 */
export async function runSql(
  clickhouse: TestClickhouse,
  sql: string,
  options: { as?: 'service' | 'reader'; search?: Record<string, string>; body?: string | Buffer } = {},
): Promise<{ status: number; text: string; headers: Headers }> {
  const search = new URLSearchParams(options.search);
  if (options.body !== undefined) search.set('query', sql);
  const response = await fetch(`${clickhouse.url}/?${search.toString()}`, {
    method: 'POST',
    body: options.body ?? sql,
    headers: options.as === 'reader' ? {} : { 'X-ClickHouse-User': 'service', 'X-ClickHouse-Key': PASSWORD },
  });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

/** Runs a statement as the service that must succeed; throws ClickHouse's answer if it does not. */
export async function execSql(
  clickhouse: TestClickhouse,
  sql: string,
  options: { search?: Record<string, string>; body?: string | Buffer } = {},
): Promise<void> {
  const { status, text } = await runSql(clickhouse, sql, options);
  if (status !== 200) throw new Error(text);
}

/** Inserts rows, by default of the game `demo` and its live environment; throws ClickHouse's answer on an error. */
export async function insertRows(clickhouse: TestClickhouse, table: string, rows: readonly object[]): Promise<void> {
  const body = rows.map((row) => JSON.stringify({ game_id: 'demo', environment: 'live', ...row })).join('\n');
  await execSql(clickhouse, `INSERT INTO ${table} FORMAT JSONEachRow`, { body });
}

/** The rows of a statement that runs as the service; throws ClickHouse's answer on an error. */
export async function rowsOf<T>(clickhouse: TestClickhouse, sql: string): Promise<T[]> {
  const { status, text } = await runSql(clickhouse, sql, { search: { default_format: 'JSONEachRow' } });
  if (status !== 200) throw new Error(text);
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): T => JSON.parse(line));
}
