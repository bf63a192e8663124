import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Process ids of what a supervisor runs; `null`: not running now, or not ours to run. */
export interface Pids {
  supervisor: number;
  service: number | null;
  nats: number | null;
  clickhouse: number | null;
}

/** Where the parts of a running service are found: what an operator's tool needs to reach them. */
export interface Endpoints {
  base_url: string;
  /** With the local broker's token in it. */
  nats_url: string;
  clickhouse: { url: string; user: string; password: string; database: string };
}

const PIDS = 'pids.json';
const ENDPOINTS = 'endpoints.json';

/** Writes `$DATA_DIR/pids.json`; readers see the old or the new file, never a half. */
export function writePids(dataDir: string, pids: Pids): void {
  writeWhole(join(dataDir, PIDS), pids);
}

/** Writes `$DATA_DIR/endpoints.json`, readable by its owner only: it holds the broker's token and ClickHouse's password. */
export function writeEndpoints(dataDir: string, endpoints: Endpoints): void {
  writeWhole(join(dataDir, ENDPOINTS), endpoints);
}

/** What runs on a folder as its supervisor last wrote it; `undefined` when none does. */
export function readPids(dataDir: string): Pids | undefined {
  const value = readJson(join(dataDir, PIDS));
  if (value === undefined || typeof value['supervisor'] !== 'number') return undefined;
  return {
    supervisor: value['supervisor'],
    service: numberOrNull(value['service']),
    nats: numberOrNull(value['nats']),
    clickhouse: numberOrNull(value['clickhouse']),
  };
}

/** The endpoints of the service that runs on a folder; `undefined` when none does. */
export function readEndpoints(dataDir: string): Endpoints | undefined {
  const value = readJson(join(dataDir, ENDPOINTS));
  const clickhouse = value?.['clickhouse'];
  if (value === undefined || !isRecord(clickhouse)) return undefined;
  return {
    base_url: text(value['base_url']),
    nats_url: text(value['nats_url']),
    clickhouse: {
      url: text(clickhouse['url']),
      user: text(clickhouse['user']),
      password: text(clickhouse['password']),
      database: text(clickhouse['database']),
    },
  };
}

/** Takes both files away: nothing runs on this folder any more. */
export function removeRunFiles(dataDir: string): void {
  for (const name of [PIDS, ENDPOINTS]) rmSync(join(dataDir, name), { force: true });
}

function writeWhole(path: string, value: object): void {
  const half = `${path}.${process.pid}`;
  writeFileSync(half, `${JSON.stringify(value)}\n`, { mode: 0o600 });
  renameSync(half, path);
}

function readJson(path: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
