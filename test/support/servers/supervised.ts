import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { copyTables } from '../wire/made-tables.ts';
import { reservedPort } from './reserved-port.ts';
import { readEndpoints, readPids, type Pids } from '../../../src/local/processes/run-files.ts';
import { until } from '../until.ts';

/** A supervisor in its own process, with its own folder and ports. */
export interface Supervised {
  readonly pid: number;
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly baseUrl: string;
  /** Includes the broker's token once the service has started: `endpoints.json` contains it. */
  readonly natsUrl: string;
  readonly clickhouseUrl: string;
  /** The output so far, both streams. */
  output(): string;
  /** `pids.json` as it is now. */
  pids(): Pids | undefined;
  signal(name: NodeJS.Signals): void;
  /** Resolves to its exit code, or to the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
}

export interface SupervisedOptions {
  /** The script to run; by default the one of `npm start`. With `npm start`, signals go to npm's process group. */
  entry?: URL | 'npm start';
  env?: Readonly<Record<string, string | undefined>>;
  /** The umask of the process in octal digits; by default that of the test. */
  umask?: string;
}

const START = new URL('../../../src/local/start.ts', import.meta.url);

/** A folder and free ports for one supervisor, as environment variables. The caller removes the folder. */
export async function freshEnvironment(): Promise<Record<string, string | undefined>> {
  return {
    ...process.env,
    DATA_DIR: mkdtempSync(join(tmpdir(), 'player-analytics-')),
    PORT: String(await reservedPort()),
    EMBEDDED_NATS_PORT: String(await reservedPort()),
    EMBEDDED_CLICKHOUSE_PORT: String(await reservedPort()),
    HOST: undefined,
    METRICS_PORT: undefined,
    NATS_URL: undefined,
    CLICKHOUSE_URL: undefined,
    CLICKHOUSE_USER: undefined,
    CLICKHOUSE_PASSWORD: undefined,
    CLICKHOUSE_DATABASE: undefined,
    ROLES: undefined,
    PARTITIONS: undefined,
    // Tests run beside each other, so a service takes the cores of one process unless a run sets another number.
    PROCESSES: process.env['PROCESSES'] ?? '1',
  };
}

/** The same with the tables of ClickHouse in the folder, so that the start has no migrations to run. */
export async function environmentWithTables(): Promise<Record<string, string | undefined>> {
  const env = await freshEnvironment();
  await copyTables(env['DATA_DIR'] ?? '');
  return env;
}

/** Launches a supervisor without waiting for it. Create `env` with one of the functions above. */
export function launch({ entry = START, env = process.env, umask }: SupervisedOptions): Supervised {
  const byNpm = entry === 'npm start';
  const command = byNpm ? ['npm', 'start'] : [process.execPath, fileURLToPath(entry)];
  const [program = '', ...args] =
    umask === undefined ? command : ['/bin/sh', '-c', `umask ${umask}; exec "$@"`, 'sh', ...command];
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: byNpm });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (printed += text.toString()));
  const ended = once(child, 'exit').then(() => child.exitCode ?? child.signalCode);
  const { pid } = child;
  if (pid === undefined) throw new Error('the supervisor could not be launched');
  const dataDir = env['DATA_DIR'] ?? '.data';
  return {
    pid,
    dataDir,
    env,
    baseUrl: `http://127.0.0.1:${env['PORT']}`,
    get natsUrl() {
      const endpoints = readEndpoints(dataDir);
      if (endpoints === undefined) throw new Error(`nothing runs on ${dataDir}`);
      return endpoints.nats_url;
    },
    clickhouseUrl: `http://127.0.0.1:${env['EMBEDDED_CLICKHOUSE_PORT']}`,
    output: () => printed,
    pids: () => readPids(dataDir),
    signal(name) {
      if (!byNpm) child.kill(name);
      else if (child.exitCode === null && child.signalCode === null) process.kill(-pid, name);
    },
    ended,
  };
}

/** Waits until `/readyz` answers 200; throws with the output if the supervisor ends first. */
export async function untilReady(supervised: Supervised, timeoutMs = 60_000): Promise<void> {
  let ended = false;
  void supervised.ended.then(() => (ended = true));
  await until(
    'the service is ready',
    async () => {
      if (ended) throw new Error(`the supervisor ended:\n${supervised.output()}`);
      return (await fetch(`${supervised.baseUrl}/readyz`).catch(() => undefined))?.status === 200;
    },
    timeoutMs,
  );
}

/** Stops a supervisor with SIGTERM, whatever its state, and removes its folder. */
export async function stopAndRemove(supervised: Supervised): Promise<void> {
  supervised.signal('SIGCONT');
  supervised.signal('SIGTERM');
  await supervised.ended;
  rmSync(supervised.dataDir, { recursive: true, force: true });
}

/** Whether a process runs. A dead process that its parent has not reaped does not. */
export function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !/^\d+ \(.*\) [ZX]/s.test(stat);
  } catch {
    return false;
  }
}
