import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BenchError, type Bench } from '../bench.ts';
import { bulk } from '../load/bulk.ts';
import { folderBytes } from '../figures/folder-size.ts';
import { readMetrics } from '../figures/metrics.ts';
import type { LocalService, Service } from '../service/service.ts';

/** Bytes that the disk has given to each part of the service's folder; `players` is the local store. */
interface DiskBytes {
  players: number;
  log: number;
  clickhouse: number;
}

/** The registration of players, and what they take on disk. */
export interface KnownPlayers {
  known: number;
  /** Players registered for this, and how many a second. */
  registered: number;
  registeredPerSecond: number;
  /** From the last registration until nothing was pending. */
  settledSeconds: number;
  /** With nothing pending, before the first registration and after the last. */
  diskBefore: DiskBytes;
  diskAfter: DiskBytes;
}

/** Four times the rate of 64; more of them add nothing (measured on two CPUs). */
const CONNECTIONS = 512;
const REPORT_MS = 10_000;

/** Registers players `from` to `known` and waits until nothing is pending. */
export async function registerKnown(
  { signal, report }: Bench,
  service: LocalService,
  idsFile: string,
  from: number,
  known: number,
): Promise<KnownPlayers> {
  await settle(service, signal);
  const diskBefore = diskBytes(service);
  report(`registering ${known - from} players: ${known} known`);
  const { baseUrl, key } = service;
  const spec = { task: 'register', baseUrl, key, idsFile, from, to: known, connections: CONNECTIONS } as const;
  const { done, seconds } = await bulk.use(signal, spec, async (process) => {
    const reporting = setInterval(() => {
      const show = (so: { done: number }) => report(`  ${so.done} registered`);
      process.ask('progress').then(show, () => {});
    }, REPORT_MS);
    return process.ask('run').finally(() => clearInterval(reporting));
  });
  report(`  ${Math.round(done / seconds)} a second; waiting until nothing is pending`);
  const settledSeconds = await settle(service, signal);
  const diskAfter = diskBytes(service);
  return { known, registered: done, registeredPerSecond: done / seconds, settledSeconds, diskBefore, diskAfter };
}

function diskBytes({ dataDir }: LocalService): DiskBytes {
  return {
    players: folderBytes(join(dataDir, 'players')),
    log: folderBytes(join(dataDir, 'nats')),
    clickhouse: folderBytes(join(dataDir, 'clickhouse')),
  };
}

const CHECK_MS = 500;
/** Gauges are set about once a second: nothing must be pending at any check over this long. */
const QUIET_MS = 3_000;
const TIMEOUT_MS = 30 * 60_000;

/** Waits until every change is in a snapshot and every sink has handled every record. @returns seconds that took */
async function settle(service: Service, signal: AbortSignal): Promise<number> {
  const beganMs = performance.now();
  let busyMs = beganMs;
  while (performance.now() - busyMs < QUIET_MS) {
    const metric = await readMetrics(service);
    if (metric('owner_snapshots_waiting') + metric('sink_lag_records') > 0) busyMs = performance.now();
    if (busyMs - beganMs > TIMEOUT_MS) throw new BenchError('the service still had work pending after half an hour');
    await sleep(CHECK_MS, undefined, { signal });
  }
  return (busyMs - beganMs) / 1000;
}
