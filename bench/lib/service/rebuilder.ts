import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { open } from 'lmdb';
import { createEntities } from '../../../actors/runtime/term/entities.ts';
import { prepareStore } from '../../../actors/runtime/rebuild/rebuild.ts';
import { createRebuildSlot } from '../../../actors/runtime/rebuild/rebuild-slot.ts';
import type { SnapshotSource } from '../../../core/vocabulary/snapshot-source.ts';
import { openLmdbStores } from '../../../actors/runtime/store/store-lmdb.ts';
import type { ClickhouseAddress } from '../../../clickhouse-schema/clickhouse-address.ts';
import { createSnapshotSource } from '../../../clickhouse-schema/queries/snapshot-source.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { createLogger } from '../../../core/kernel/logger.ts';
import { createMetrics } from '../../../src/parts/metrics.ts';
import { encodeJson } from '../../../core/codec/codec.ts';
import { createMemoryBroker } from '../../../streams/log/memory/log-memory.ts';
import { rebuildKey } from '../../../streams/facts/rebuild-mark.ts';
import { defineWorker } from './worker.ts';
import { readUsage } from '../figures/usage.ts';

/** When FACTS was created, in the versions of the snapshots. */
export const FACTS_CREATED = '2026-01-15T10:00:00Z';

interface Spec {
  clickhouse: ClickhouseAddress;
  /** Folder of the local store. */
  path: string;
  players: number;
}

/** Memory in MiB. "Unmapped" leaves out the pages of the local store's file, which the system takes back at need. */
export interface Rebuilt {
  entities: number;
  seconds: number;
  /** Of this process, all threads. */
  cpuSeconds: number;
  bytesEach: number;
  startMiB: number;
  peakMiB: number;
  startUnmappedMiB: number;
  peakUnmappedMiB: number;
  peakHeapMiB: number;
  /** Buffers outside the heap. */
  peakExternalMiB: number;
  /** The longest time that the event loop stood still. */
  longestStallMs: number;
}

/** What the least work takes: the same rows read and thrown away, and rows of their size put into LMDB in key order. */
export interface RebuildReferences {
  read: Cost;
  put: Cost;
}

interface Cost {
  seconds: number;
  /** Of this process, all threads. */
  cpuSeconds: number;
}

/** A process that takes a partition over without a local store. FACTS was trimmed, and holds nothing to replay. */
export const rebuilder = defineWorker(import.meta.url, async ({ clickhouse, path, players }: Spec) => {
  const log = createMemoryBroker({ clock: systemClock }).connect('bench');
  const { created } = await log.info('FACTS');
  await log.bucket('POSITIONS').put(rebuildKey(0), encodeJson({ stream: created, coveredTo: players }), 0);
  const stores = openLmdbStores(path);
  const store = stores.partition(0);
  const bounds = {
    created,
    firstSequence: players + 1,
    lastSequence: players + 1,
    records: 1,
    sizeBytes: 1,
    maxBytes: Infinity,
  };
  return { run, references };

  async function run(): Promise<Rebuilt> {
    const source = createSnapshotSource(clickhouse);
    const bytesEach = await meanBytes(source);
    const watch = watchMemory();
    const stalls = monitorEventLoopDelay({ resolution: 10 });
    stalls.enable();
    const cost = startCost();
    await prepareStore(
      {
        partition: 0,
        partitions: 1,
        log,
        clock: systemClock,
        store,
        source,
        rebuilds: createRebuildSlot(),
        logger: createLogger('info', 'bench'),
        metrics: createMetrics(),
        stopped: () => false,
        discard: false,
      },
      bounds,
      players + 1,
    );
    createEntities({ store, factsCreated: created, hotBytes: 1, nowMs: () => performance.now() });
    const { seconds, cpuSeconds } = cost();
    stalls.disable();
    const memory = watch.stop();
    const longestStallMs = stalls.max / 1e6;
    return { entities: store.count(), seconds, cpuSeconds, bytesEach, ...memory, longestStallMs };
  }

  async function references(): Promise<RebuildReferences> {
    const source = createSnapshotSource(clickhouse);
    const bytesEach = await meanBytes(source);
    const reading = startCost();
    let count = 0;
    for await (const rows of source.load(0, 0)) count += rows.length;
    const read = reading();
    if (count !== players) throw new Error(`${count} of ${players} snapshots were read`);
    const root = open({ path: join(path, 'reference'), encoding: 'binary', cache: false, eventTurnBatching: false });
    const value = Buffer.alloc(bytesEach);
    const putting = startCost();
    for (let from = 0; from < players; from += ROWS_PER_COMMIT) {
      await root.transaction(() => {
        for (let row = from; row < Math.min(players, from + ROWS_PER_COMMIT); row++)
          void root.put(String(row).padStart(36, '0'), value);
      });
    }
    const put = putting();
    await root.close();
    return { read, put };
  }
});

const ROWS_PER_COMMIT = 2_000;

/** @returns a function that gives the cost since this call */
function startCost(): () => Cost {
  const cpuBegan = process.cpuUsage();
  const beganMs = performance.now();
  return () => {
    const { user, system } = process.cpuUsage(cpuBegan);
    return { seconds: (performance.now() - beganMs) / 1000, cpuSeconds: (user + system) / 1e6 };
  };
}

/** The mean size of the first snapshots. */
async function meanBytes(source: SnapshotSource): Promise<number> {
  let [rows, sizeBytes] = [0, 0];
  for await (const some of source.load(0, 0)) {
    rows += some.length;
    sizeBytes += some.reduce((sum, { length }) => sum + length, 0);
    if (rows > 100) break;
  }
  return Math.round(sizeBytes / Math.max(1, rows));
}

const INTERVAL_MS = 50;
const MIB = 1024 * 1024;

function watchMemory(): {
  stop(): Pick<
    Rebuilt,
    'startMiB' | 'peakMiB' | 'startUnmappedMiB' | 'peakUnmappedMiB' | 'peakHeapMiB' | 'peakExternalMiB'
  >;
} {
  const start = resident();
  const peak = { ...start, heapMiB: 0, externalMiB: 0 };
  const timer = setInterval(read, INTERVAL_MS);

  function read(): void {
    const now = resident();
    const { heapUsed, external } = process.memoryUsage();
    peak.rssMiB = Math.max(peak.rssMiB, now.rssMiB);
    peak.unmappedMiB = Math.max(peak.unmappedMiB, now.unmappedMiB);
    peak.heapMiB = Math.max(peak.heapMiB, heapUsed / MIB);
    peak.externalMiB = Math.max(peak.externalMiB, external / MIB);
  }

  return {
    stop() {
      read();
      clearInterval(timer);
      return {
        startMiB: start.rssMiB,
        peakMiB: peak.rssMiB,
        startUnmappedMiB: start.unmappedMiB,
        peakUnmappedMiB: peak.unmappedMiB,
        peakHeapMiB: peak.heapMiB,
        peakExternalMiB: peak.externalMiB,
      };
    },
  };
}

function resident(): { rssMiB: number; unmappedMiB: number } {
  const usage = readUsage(process.pid);
  const rssMiB = usage?.rssMiB ?? Number.NaN;
  return { rssMiB, unmappedMiB: rssMiB - (usage?.mappedMiB ?? Number.NaN) };
}
