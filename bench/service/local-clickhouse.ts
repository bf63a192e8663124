import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { ClickhouseAddress } from '../../clickhouse-schema/clickhouse-address.ts';
import type { Bench } from '../bench.ts';
import { BenchError } from '../bench-error.ts';

const MAIN = fileURLToPath(new URL('../../clickhouse-schema/embedded/main.ts', import.meta.url));

/**
 * An embedded ClickHouse without the rest of the service, on a free port and in a folder of its own; it ends with the bench, and
 * its folder goes. Throws when it cannot be started.
 * @param folder where its folder is made; the system's temporary folder when left out
 */
export async function startLocalClickhouse({ cleanup }: Bench, folder = tmpdir()): Promise<ClickhouseAddress> {
  const dataDir = mkdtempSync(join(folder, 'player-analytics-bench-'));
  cleanup.add(async () => rmSync(dataDir, { recursive: true, force: true }));
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
  cleanup.add(async () => {
    // Nothing in it is to be kept, so there is nothing to wait for.
    child.kill('SIGKILL');
    await gone;
  });
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    said.push(line);
    const entry: { msg?: string; port?: number } = JSON.parse(line);
    if (entry.msg !== 'listening' || entry.port === undefined) continue;
    child.stdout.resume();
    return { ...account, url: `http://127.0.0.1:${entry.port}` };
  }
  throw new BenchError(`ClickHouse could not be started: ${said.join('\n')}`);
}
