import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import { folderBytes } from '../measure/folder-size.ts';
import type { LocalService } from '../service/local-service.ts';
import { callForPlayers } from './bulk.ts';
import type { BulkProgress } from './bulk-main.ts';
import type { GameSetup } from './prepare-game.ts';
import { settle } from './settle.ts';

/** Bytes that the disk has given to each part of the service's folder; `players` is the local store. */
export interface DiskBytes {
  players: number;
  log: number;
  clickhouse: number;
}

/** How players came to be known, and what they take on disk. */
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

/** Registrations under way: four times the rate of 64, and more of them add nothing (measured on two CPUs). */
const CONNECTIONS = 512;
/** A line of progress for each so many players. */
const REPORTED_PLAYERS = 100_000;

/** Registers players `from` to `known` and waits until nothing is pending. */
export async function makeKnown(
  { signal, report }: Bench,
  { service, idsFile }: GameSetup,
  from: number,
  known: number,
): Promise<KnownPlayers> {
  await settle(service, signal);
  const diskBefore = diskBytes(service);
  report(`registering ${known - from} players: ${known} known`);
  let reported = 0;
  function tell({ done, seconds }: BulkProgress): void {
    if (done - reported < REPORTED_PLAYERS) return;
    reported = done;
    report(`  ${done} registered, ${Math.round(done / seconds)} a second`);
  }
  const { baseUrl, key } = service;
  const spec = { task: 'register', baseUrl, key, idsFile, from, to: known, connections: CONNECTIONS } as const;
  const { done, seconds } = await callForPlayers(spec, signal, tell);
  report(`  ${Math.round(done / seconds)} a second; waiting until nothing is pending`);
  const settledSeconds = await settle(service, signal);
  return {
    known,
    registered: done,
    registeredPerSecond: done / seconds,
    settledSeconds,
    diskBefore,
    diskAfter: diskBytes(service),
  };
}

function diskBytes({ dataDir }: LocalService): DiskBytes {
  return {
    players: folderBytes(join(dataDir, 'players')),
    log: folderBytes(join(dataDir, 'nats')),
    clickhouse: folderBytes(join(dataDir, 'clickhouse')),
  };
}
