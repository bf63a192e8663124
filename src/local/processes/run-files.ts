import { isPlainObject } from '../../../core/kernel/validation/plain-object.ts';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Process ids of a supervisor and its children; `null`: not running now, or not started by this supervisor. */
export interface Pids {
  supervisor: number;
  service: number | null;
  nats: number | null;
  clickhouse: number | null;
  /** With several processes of the service: all of them by name, the first included. */
  services?: Readonly<Record<string, number | null>>;
}

/** The addresses of a running service and its dependencies, for the command line. */
export interface Endpoints {
  base_url: string;
  /** Includes the local broker's token. */
  nats_url: string;
  clickhouse: { url: string; user: string; password: string; database: string };
  /** With several processes of the service: the port that each has for itself, by number, while it runs. */
  processes?: Readonly<Record<string, string>>;
}

const PIDS = 'pids.json';
const ENDPOINTS = 'endpoints.json';

/** Writes `$DATA_DIR/pids.json` atomically: readers see the old or the new file. */
export function writePids(dataDir: string, pids: Pids): void {
  writeWhole(join(dataDir, PIDS), pids);
}

/** Writes `$DATA_DIR/endpoints.json`, readable by its owner only: it contains the broker's token and a password. */
export function writeEndpoints(dataDir: string, endpoints: Endpoints): void {
  writeWhole(join(dataDir, ENDPOINTS), endpoints);
}

/** The process ids of a folder's supervisor; `undefined` if none is running. */
export function readPids(dataDir: string): Pids | undefined {
  const value = readJson(join(dataDir, PIDS));
  if (value === undefined || typeof value['supervisor'] !== 'number') return undefined;
  return {
    supervisor: value['supervisor'],
    service: numberOrNull(value['service']),
    nats: numberOrNull(value['nats']),
    clickhouse: numberOrNull(value['clickhouse']),
    ...(isPlainObject(value['services']) ? { services: mapValues(value['services'], numberOrNull) } : {}),
  };
}

/** The addresses of the service that runs on a folder; `undefined` if none is running. */
export function readEndpoints(dataDir: string): Endpoints | undefined {
  const value = readJson(join(dataDir, ENDPOINTS));
  const clickhouse = value?.['clickhouse'];
  if (value === undefined || !isPlainObject(clickhouse)) return undefined;
  return {
    base_url: text(value['base_url']),
    nats_url: text(value['nats_url']),
    clickhouse: {
      url: text(clickhouse['url']),
      user: text(clickhouse['user']),
      password: text(clickhouse['password']),
      database: text(clickhouse['database']),
    },
    ...(isPlainObject(value['processes']) ? { processes: mapValues(value['processes'], text) } : {}),
  };
}

/** Deletes both files after a stop. */
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
    return isPlainObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function mapValues<T>(record: Record<string, unknown>, convert: (value: unknown) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, convert(value)]));
}

function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
