import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClickhouseAddress } from '../../../clickhouse-schema/clickhouse-address.ts';
import type { DemoKeys } from '../../../src/process/demo.ts';
import { readConfig } from '../../../src/settings/config.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { systemIds } from '../../../core/kernel/ids.ts';
import { freePort } from '../../../src/local/free-port.ts';
import { localPlan } from '../../../src/local/local-plan.ts';
import { readPids } from '../../../src/local/processes/run-files.ts';
import { supervise, type Plan } from '../../../src/local/processes/supervisor.ts';
import { BenchError, type Bench } from '../bench.ts';
import { countRows, type CountedTable } from './clickhouse.ts';
import type { Pids } from '../figures/usage.ts';

/** The service under test, wherever it runs. */
export interface Service {
  kind: 'local' | 'remote';
  /** Without a path. */
  baseUrl: string;
  /** A server key without a rate limit. */
  key: string;
  /** Its processes; none when it runs elsewhere. */
  pids(): Pids;
  /** Where its nats-server reports its own figures, without a path; undefined when it runs elsewhere. */
  brokerMonitor: string | undefined;
  /** Rows in ClickHouse now, of events when no table is named; undefined when it runs elsewhere. */
  countRows: ((table?: CountedTable) => Promise<number>) | undefined;
}

/** What `npm start` runs, on free ports and in a folder of its own. */
export interface LocalService extends Service {
  kind: 'local';
  dataDir: string;
  /** Its ClickHouse, with the account that may write. */
  clickhouse: ClickhouseAddress;
  /** A key for game clients without a rate limit. */
  clientKey: string;
  /** Stops the service's process in good order and starts it again; broker and ClickHouse stay. Returns at once. */
  restart(): void;
}

export interface LocalServiceOptions {
  /** Arguments to Node before the service's script, e.g. to open its inspector. */
  nodeArguments?: readonly string[];
  /** Where its folder is made: the disk whose fsync is measured. The system's temporary folder when undefined. */
  folder: string | undefined;
  /** Its folder, which stays when the bench ends; a new temporary one when undefined. */
  kept?: string | undefined;
}

/** A deployment that runs elsewhere: only its HTTP interface is used. */
export function remoteService({ url, key }: { url: string; key: string }): Service {
  const baseUrl = url.replace(/\/+$/, '');
  return { kind: 'remote', baseUrl, key, pids: () => ({}), brokerMonitor: undefined, countRows: undefined };
}

/**
 * Starts the service and resolves when it is ready; it ends with the bench. Settings of the environment (PARTITIONS, …)
 * apply; ports, folder and addresses are the bench's own. Throws when it cannot be started, or on the signal.
 */
export async function startLocalService(
  { cleanup, report, signal }: Bench,
  { nodeArguments = [], folder = tmpdir(), kept }: LocalServiceOptions,
): Promise<LocalService> {
  const dataDir = kept ?? mkdtempSync(join(folder, 'player-analytics-bench-'));
  mkdirSync(dataDir, { recursive: true });
  const removeFolder = () => {
    if (kept === undefined) rmSync(dataDir, { recursive: true, force: true });
  };
  const env = await environment(dataDir);
  const monitorPort = await freePort();
  const supervision = await supervise({
    dataDir,
    clock: systemClock,
    report,
    signal,
    async plan(realDataDir) {
      const plan = await localPlan({ config: readConfig(env), env, dataDir: realDataDir, ids: systemIds, report });
      return typeof plan === 'string' ? plan : withArguments(plan, realDataDir, nodeArguments, monitorPort);
    },
  });
  if (supervision.kind !== 'running') {
    const reason = supervision.kind === 'refused' ? supervision.message : 'stopped while it started';
    const log = lastLines(join(dataDir, 'logs', 'service.log'));
    removeFolder();
    throw new BenchError(`the service could not be started: ${reason}${log}`);
  }
  cleanup.add(async () => {
    await supervision.supervisor.stop();
    removeFolder();
  });
  const { endpoints } = supervision.plan;
  const keys: DemoKeys = JSON.parse(readFileSync(join(dataDir, 'demo-keys.json'), 'utf8'));
  return {
    kind: 'local',
    dataDir,
    clickhouse: endpoints.clickhouse,
    brokerMonitor: `http://127.0.0.1:${monitorPort}`,
    baseUrl: endpoints.base_url,
    key: keys.live.server,
    clientKey: keys.live.client,
    pids: () => runningPids(dataDir),
    countRows: (table = 'events') => countRows(endpoints.clickhouse, table),
    restart: () => supervision.supervisor.restartService(),
  };
}

/** Settings that would lead the bench to another deployment's processes, or to other ports than it asks. */
const NOT_INHERITED = new Set(['NATS_URL', 'CLICKHOUSE_URL', 'METRICS_PORT', 'ROLES']);

async function environment(dataDir: string): Promise<Record<string, string>> {
  const inherited = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined || NOT_INHERITED.has(name) ? [] : [[name, value]],
  );
  return {
    ...Object.fromEntries(inherited),
    DATA_DIR: dataDir,
    HOST: '127.0.0.1',
    PORT: String(await freePort()),
    EMBEDDED_NATS_PORT: String(await freePort()),
    EMBEDDED_CLICKHOUSE_PORT: String(await freePort()),
    WEBHOOK_ALLOW_PRIVATE_HOSTS: '127.0.0.1',
  };
}

/** The plan with more arguments to Node, and with a nats-server that reports its own figures over HTTP. */
function withArguments(plan: Plan, dataDir: string, nodeArguments: readonly string[], monitorPort: number): Plan {
  const [first, ...others] = plan.services;
  // The inspector and profiles are for one process.
  const measured = {
    ...first,
    args: [...nodeArguments, ...first.args],
    logFile: join(dataDir, 'logs', 'service.log'),
  };
  return {
    ...plan,
    dependencies: plan.dependencies.map((child) =>
      child.name === 'nats' ? { ...child, args: [...child.args, '-m', String(monitorPort)] } : child,
    ),
    services: [measured, ...others.map((child) => ({ ...child, logFile: join(dataDir, 'logs', `${child.name}.log`) }))],
  };
}

function runningPids(dataDir: string): Record<string, number> {
  const { service, nats, clickhouse, services } = readPids(dataDir) ?? { service: null, nats: null, clickhouse: null };
  const found = Object.entries({ service, nats, clickhouse, ...services });
  return Object.fromEntries(found.flatMap(([name, pid]) => (pid === null ? [] : [[name, pid]])));
}

const LOG_LINES = 5;

function lastLines(path: string): string {
  try {
    return `\n${readFileSync(path, 'utf8').trimEnd().split('\n').slice(-LOG_LINES).join('\n')}`;
  } catch {
    return '';
  }
}
