import type { Logger } from '../../src/kernel/logger.ts';
import { decodeJson } from '../../streams/codec.ts';
import type { Log, StreamBounds } from '../../streams/log/log.ts';
import { parseRebuildMark, rebuildKey } from '../../streams/rebuild-mark.ts';
import type { SnapshotSource } from './store/snapshot-source.ts';
import type { PartitionStore, StoredEntity } from './store/store.ts';

/** A log message. The simulation reads it. */
export const STORE_MISMATCH = 'the local store does not fit the log: rebuilding';

export interface RebuildOptions {
  partition: number;
  log: Log;
  store: PartitionStore;
  source: SnapshotSource;
  logger: Logger;
}

/**
 * Clears a store that FACTS cannot bring up to date, and fills it from snapshots if FACTS was trimmed.
 * @param highest the highest sequence of FACTS that the store may have applied
 */
export async function prepareStore(options: RebuildOptions, bounds: StreamBounds, highest: number): Promise<void> {
  const { store, logger, partition } = options;
  const mark = store.mark();
  const usable =
    mark !== undefined &&
    mark.factsCreated === bounds.created &&
    bounds.firstSequence <= mark.appliedSeq + 1 &&
    (mark.aheadTo ?? mark.appliedSeq) <= highest;
  if (usable) return;
  if (mark !== undefined) logger.warn({ partition, mark, bounds }, STORE_MISMATCH);
  await store.clear();
  if (bounds.firstSequence > 1) await loadSnapshots(options, bounds);
}

const LOAD_BATCH = 2_000;

/** Fills an empty store from the newest snapshots; replay starts after the sequence that they cover. */
async function loadSnapshots(options: RebuildOptions, bounds: StreamBounds): Promise<void> {
  const { store, source, partition, logger } = options;
  const coveredTo = await rebuildMark(options.log, partition, bounds.created);
  if (coveredTo === undefined || coveredTo + 1 < bounds.firstSequence) {
    throw new Error(
      `partition ${partition} cannot be rebuilt: FACTS begins at ${bounds.firstSequence}, ` +
        `snapshots cover it up to ${coveredTo ?? 0}`,
    );
  }
  let loaded = 0;
  let batch: StoredEntity[] = [];
  const batches: StoredEntity[][] = [];
  await source.load(partition, (state) => {
    loaded += 1;
    batch.push({ state, dirtySince: 0, snapshotSeq: state.lastSeq });
    if (batch.length < LOAD_BATCH) return;
    batches.push(batch);
    batch = [];
  });
  batches.push(batch);
  // Only the last batch has a usable mark: after a crash in between the store is cleared.
  for (const [index, entities] of batches.entries()) {
    const appliedSeq = index === batches.length - 1 ? coveredTo : 0;
    await store.write({ entities, mark: { appliedSeq, factsCreated: appliedSeq === 0 ? '' : bounds.created } });
  }
  logger.info({ partition, entities: loaded, coveredTo }, 'partition loaded from snapshots');
}

/** The sequence up to which snapshots in ClickHouse hold the partition's changes, as stored by the ClickHouse sink. */
async function rebuildMark(log: Log, partition: number, created: string): Promise<number | undefined> {
  const entry = await log.bucket('POSITIONS').get(rebuildKey(partition));
  const mark = entry?.value === undefined ? undefined : parseRebuildMark(decodeJson(entry.value));
  return mark?.stream === created ? mark.coveredTo : undefined;
}
