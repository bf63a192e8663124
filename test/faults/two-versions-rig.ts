import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrate } from '../../clickhouse-schema/migrations/migrate.ts';
import type { DemoKeys } from '../../src/process/demo.ts';
import { startClickhouse } from '../support/servers/clickhouse.ts';
import { startTestNats } from '../support/servers/nats.ts';
import { reservedPort } from '../support/servers/reserved-port.ts';
import { until } from '../support/until.ts';
import { NODES } from './rig.ts';

/** `this`: the version of this folder. `other`: the version of the folder given by `--beside`. */
export type Version = 'this' | 'other';
/** The versions of the two processes at a time. */
export type Stage = readonly [Version, Version];
export type Slot = 0 | 1;

/** One broker and one ClickHouse with two processes of the service, each of one of two versions. */
export interface TwoVersionsRig {
  readonly natsUrl: string;
  readonly clickhouseUrl: string;
  /** The addresses of the two processes; each stays the same for all versions. */
  readonly baseUrls: readonly [string, string];
  /** The first of them. */
  readonly baseUrl: string;
  readonly keys: DemoKeys;
  /** Ends the process of a slot and starts the other version on its folder. Resolves when it is ready. */
  replace(slot: Slot, version: Version, signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** Everything the processes printed. */
  output(): string;
  stop(): Promise<void>;
}

const HERE = fileURLToPath(new URL('../..', import.meta.url));
const READY_MS = 120_000;
const SECRETS_KEY = Buffer.alloc(32, 7).toString('base64');

export interface TwoVersionsOptions {
  /** The folder of the other version, with its packages installed. */
  other: string;
  first: Stage;
  /** Settings of both processes. */
  env?: Readonly<Record<string, string>>;
}

export async function startTwoVersions({ other, first, env = {} }: TwoVersionsOptions): Promise<TwoVersionsRig> {
  const nats = await startTestNats();
  const clickhouse = await startClickhouse();
  await migrate(clickhouse.address);
  const folder = mkdtempSync(join(tmpdir(), 'player-analytics-versions-'));
  const ports = [await reservedPort(), await reservedPort()] as const;
  const baseUrls = [`http://127.0.0.1:${ports[0]}`, `http://127.0.0.1:${ports[1]}`] as const;
  const running: (ChildProcess | undefined)[] = [];
  let printed = '';
  const dataDir = (slot: Slot): string => join(folder, String(slot));
  for (const [slot, name] of [NODES.service, NODES.peer].entries()) {
    mkdirSync(join(folder, String(slot)), { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, String(slot), 'node-name'), `${name}\n`);
  }

  async function start(slot: Slot, version: Version): Promise<void> {
    const child = spawn(process.execPath, [join(version === 'this' ? HERE : other, 'src/main.ts')], {
      env: {
        ...process.env,
        LOG_LEVEL: 'info',
        PARTITIONS: '4',
        FACTS_MAX_BYTES: String(1024 ** 3),
        SECRETS_KEY,
        ...env,
        DATA_DIR: dataDir(slot),
        PORT: String(ports[slot]),
        NATS_URL: nats.url,
        CLICKHOUSE_URL: clickhouse.address.url,
        CLICKHOUSE_USER: clickhouse.address.user,
        CLICKHOUSE_PASSWORD: clickhouse.address.password,
        CLICKHOUSE_DATABASE: clickhouse.address.database,
        // It creates the demo game, and ends when its standard input closes.
        SUPERVISED: '1',
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    running[slot] = child;
    child.stdin.on('error', () => {});
    const note = (text: Buffer): void => {
      printed += text.toString().replaceAll(/^(?=.)/gm, `[${slot} ${version}] `);
    };
    for (const stream of [child.stdout, child.stderr]) stream.on('data', note);
    await until(
      `the process of ${version} in slot ${slot} is ready`,
      async () => {
        if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}:\n${printed.slice(-4_000)}`);
        return (await fetch(`${baseUrls[slot]}/readyz`).catch(() => undefined))?.status === 200;
      },
      READY_MS,
    );
  }

  async function end(slot: Slot, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const child = running[slot];
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }

  async function stop(): Promise<void> {
    await Promise.all([end(0, 'SIGKILL'), end(1, 'SIGKILL')]);
    await clickhouse.close();
    await nats.stop();
    rmSync(folder, { recursive: true, force: true });
  }

  try {
    await Promise.all([start(0, first[0]), start(1, first[1])]);
    // Each process makes keys of its own before it is ready; both serve them.
    const keys: DemoKeys = JSON.parse(readFileSync(join(dataDir(0), 'demo-keys.json'), 'utf8'));
    return {
      natsUrl: nats.url,
      clickhouseUrl: clickhouse.url,
      baseUrls,
      baseUrl: baseUrls[0],
      keys,
      async replace(which, version, signal) {
        await end(which, signal);
        await start(which, version);
      },
      output: () => printed,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
