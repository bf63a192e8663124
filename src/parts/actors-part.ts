import { join } from 'node:path';
import { startActors, type Actors } from '../../actors/runtime/actors.ts';
import { compactLmdbStores, openLmdbStores } from '../../actors/runtime/store/store-lmdb.ts';
import { createEventHistory } from '../../clickhouse-schema/queries/events/event-history.ts';
import { createSnapshotSource } from '../../clickhouse-schema/queries/snapshot-source.ts';
import { SERVICE_LIMITS } from './limits.ts';
import { startFactsTrimmer } from '../../streams/facts/facts-trimmer.ts';
import { lockDataDir } from '../local/data-dir-lock.ts';
import type { Part } from '../process/stop-on-signal.ts';
import { clickhouseAddress } from '../settings/config.ts';
import type { Base } from './base.ts';

/** The role `actors`: owns partitions, and trims FACTS. */
export async function startActorsPart(base: Base): Promise<Part> {
  const { config, dataDir, clock, logger, metrics, log, partitions, room } = base;
  const path = join(dataDir, 'players');
  const lock = await lockDataDir(path);
  if (lock.kind === 'held') {
    // Not a ConfigError: the lock is free again once the other process has ended, so another start can succeed.
    throw new Error(`Another process uses DATA_DIR ${dataDir}. Set a separate DATA_DIR for each process.`);
  }
  try {
    if (await compactLmdbStores(path, clock.wallMs())) logger.info('compacted the local store after erasures');
  } catch (error) {
    // Without room for a copy, or with a damaged file, the owners start all the same.
    logger.warn({ err: error }, 'could not compact the local store after erasures; the next start tries again');
  }
  const stores = openLmdbStores(path);
  const actors: Actors = startActors({
    partitions,
    node: base.node,
    incarnation: base.incarnation,
    log,
    clock,
    config: base.configStore,
    definitions: base.definitions,
    stores,
    source: createSnapshotSource(clickhouseAddress(config)),
    room,
    hotBytes: SERVICE_LIMITS.hotPlayersBytes,
    history: createEventHistory(clickhouseAddress(config)),
    local: base.commandClient.local,
    clockFault: () => base.brokerClock.fault(),
    logger,
    metrics,
  });
  const retentionMs = SERVICE_LIMITS.factsRetentionMs;
  const trimmer = startFactsTrimmer({ log, clock, partitions, holder: base.holder, retentionMs, room, logger });
  return {
    name: 'actors',
    async stop() {
      await Promise.all([trimmer.stop(), actors.stop()]);
      await stores.close();
    },
  };
}
