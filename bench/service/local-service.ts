import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DemoKeys } from '../../src/demo.ts';
import { readConfig } from '../../src/config.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { systemIds } from '../../src/kernel/ids.ts';
import { freePort } from '../../src/local/free-port.ts';
import { localPlan } from '../../src/local/local-plan.ts';
import { readPids } from '../../src/local/run-files.ts';
import { supervise, type Plan } from '../../src/local/supervisor.ts';
import { BenchError } from '../bench-error.ts';
import { countRows } from './count-rows.ts';
import type { Service } from './service.ts';

export interface LocalServiceOptions {
  report: (line: string) => void;
  signal: AbortSignal;
  /** Arguments to Node before the service's script, e.g. to open its inspector. */
  nodeArguments?: readonly string[];
  /** Where its folder is made: the disk whose fsync is measured. The system's temporary folder when left out. */
  parentFolder?: string;
}

/** What `npm start` runs, on free ports and in a folder of its own, with everything that belongs to it. */
export interface LocalService extends Service {
  kind: 'local';
  dataDir: string;
  /** What a game client would use; no rate limit either. */
  clientKey: string;
  /** Ends the service's process in good order and starts it again; what it stands on goes on. Returns at once. */
  restart(): void;
}

/**
 * Starts it and resolves when it is ready. Settings of the environment (PARTITIONS, …) hold; ports, folder and addresses
 * are the bench's own. Throws when it cannot be started, or when the signal comes.
 */
export async function startLocalService(options: LocalServiceOptions): Promise<LocalService> {
  const dataDir = mkdtempSync(join(options.parentFolder ?? tmpdir(), 'player-analytics-bench-'));
  const removeFolder = () => rmSync(dataDir, { recursive: true, force: true });
  const env = await environment(dataDir);
  const supervision = await supervise({
    dataDir,
    clock: systemClock,
    report: options.report,
    signal: options.signal,
    async plan(realDataDir) {
      const plan = await localPlan({
        config: readConfig(env),
        env,
        dataDir: realDataDir,
        ids: systemIds,
        report: options.report,
      });
      return typeof plan === 'string' ? plan : withArguments(plan, realDataDir, options.nodeArguments ?? []);
    },
  });
  if (supervision.kind !== 'running') {
    const reason = supervision.kind === 'refused' ? supervision.message : 'stopped while it started';
    const log = lastLines(join(dataDir, 'logs', 'service.log'));
    removeFolder();
    throw new BenchError(`the service could not be started: ${reason}${log}`);
  }
  const { endpoints } = supervision.plan;
  const keys: DemoKeys = JSON.parse(readFileSync(join(dataDir, 'demo-keys.json'), 'utf8'));
  return {
    kind: 'local',
    dataDir,
    baseUrl: endpoints.base_url,
    key: keys.live.server,
    clientKey: keys.live.client,
    pids: () => runningPids(dataDir),
    countRows: (table = 'events') => countRows(endpoints.clickhouse, table),
    restart: () => supervision.supervisor.restartService(),
    async stop() {
      await supervision.supervisor.stop();
      removeFolder();
    },
  };
}

/** Settings that would point the bench at somebody else's processes, or at other ports than it asks. */
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

function withArguments(plan: Plan, dataDir: string, nodeArguments: readonly string[]): Plan {
  const args = [...nodeArguments, ...plan.service.args];
  return { ...plan, service: { ...plan.service, args, logFile: join(dataDir, 'logs', 'service.log') } };
}

function runningPids(dataDir: string): Record<string, number> {
  const { service, nats, clickhouse } = readPids(dataDir) ?? { service: null, nats: null, clickhouse: null };
  const found = Object.entries({ service, nats, clickhouse });
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
