import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { ClickhouseAddress } from '../../../clickhouse-schema/clickhouse-address.ts';
import { BenchError, temporaryFolder, type Bench } from '../bench.ts';

/** How long one query may take before it counts as failed. */
const TIMEOUT_MS = 30_000;

/** Tables whose rows are counted against what was acknowledged. */
export type CountedTable = 'events' | 'scores';

/** Runs a query over HTTP under the account that may write. @returns the answer as text; throws when it is refused */
export async function queryClickhouse(
  { url, user, password, database }: ClickhouseAddress,
  sql: string,
): Promise<string> {
  const target = new URL(url);
  target.searchParams.set('database', database);
  const response = await fetch(target, {
    method: 'POST',
    body: sql,
    headers: { 'X-ClickHouse-User': user, 'X-ClickHouse-Key': password },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`ClickHouse refused a query: ${text}`);
  return text;
}

/** Rows of a table, which the engine knows without reading it. */
export async function countRows(clickhouse: ClickhouseAddress, table: CountedTable): Promise<number> {
  return Number(await queryClickhouse(clickhouse, `SELECT count() FROM ${table}`));
}

const MAIN = fileURLToPath(new URL('../../../src/local/clickhouse/main.ts', import.meta.url));

export interface LocalClickhouse extends ClickhouseAddress {
  pid: number;
}

/**
 * Starts an embedded ClickHouse without the rest of the service, on a free port and in a folder of its own. It ends
 * with the bench, and its folder is removed. Throws when it cannot be started.
 * @param folder where its folder is made; the system's temporary folder when left out
 */
export async function startLocalClickhouse(bench: Bench, folder: string | undefined): Promise<LocalClickhouse> {
  const dataDir = temporaryFolder(bench, 'clickhouse', folder);
  const account = { user: 'service', password: randomUUID(), database: 'default' };
  const child = spawn(process.execPath, [MAIN], {
    env: {
      PATH: process.env['PATH'],
      DATA_DIR: dataDir,
      EMBEDDED_CLICKHOUSE_PORT: '0',
      CLICKHOUSE_USER: account.user,
      CLICKHOUSE_PASSWORD: account.password,
      CLICKHOUSE_DATABASE: account.database,
      LOG_LEVEL: 'info',
      // It ends with its standard input, so with this process, however that ends.
      SUPERVISED: '1',
    },
    // A process group of its own: Ctrl-C reaches the bench alone, which then ends what it started in order.
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const gone = once(child, 'exit');
  bench.cleanup.add(async () => {
    // Its data is removed anyway.
    child.kill('SIGKILL');
    await gone;
  });
  const logged: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    logged.push(line);
    const entry: { msg?: string; port?: number } = JSON.parse(line);
    if (entry.msg !== 'listening' || entry.port === undefined) continue;
    child.stdout.resume();
    return { ...account, url: `http://127.0.0.1:${entry.port}`, pid: child.pid ?? 0 };
  }
  throw new BenchError(`ClickHouse could not be started: ${logged.join('\n')}`);
}
