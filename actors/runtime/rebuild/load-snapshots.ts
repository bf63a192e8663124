import type { Clock } from '../../../core/kernel/clock.ts';
import type { Adjustable } from '../../../core/kernel/adjustable.ts';
import { REBUILD_LIMITS } from './limits.ts';
import type { Logger } from '../../../core/kernel/logger.ts';
import type { OwnerMetrics } from '../metrics.ts';
import { outlineOfState } from '../../../core/codec/state/state-codec.ts';
import type { SnapshotSource } from '../../../core/vocabulary/snapshot-source.ts';
import type { EncodedEntity, PartitionStore, StoreMark } from '../store/store.ts';

/** Log messages; the first one every few seconds. */
const LOADING = 'loading a partition from snapshots';
const LOADED = 'partition loaded from snapshots';

export interface LoadOptions {
  partition: number;
  clock: Clock;
  store: PartitionStore;
  source: SnapshotSource;
  logger: Logger;
  metrics: Pick<OwnerMetrics, 'rebuildProgress'>;
  stopped: () => boolean;
  limits?: Partial<Adjustable<typeof REBUILD_LIMITS, 'rebuildSortEntities' | 'rebuildSortBytes'>> | undefined;
}

export interface LoadRange {
  factsCreated: string;
  /** The sequence up to which the store has applied FACTS; 0: the store is empty. */
  appliedSeq: number;
  /** The sequence up to which snapshots hold every change. */
  coveredTo: number;
  /** Rejects if the loaded snapshots must not be used. It runs once, before the store gets its last batch and mark. */
  confirm: (players: number) => Promise<void>;
}

/**
 * Brings a store up to `coveredTo` from snapshots. They arrive in another order than that of the store's keys, so they
 * are gathered and sorted: a transaction then changes few pages of the tree. At most two gatherings are in memory, one
 * that is filled while the other is written. Returns early when stopped.
 *
 * Invariant: an empty store gets a usable mark with its last batch only, so a store that was filled in part is cleared.
 * A store that was usable stays so: its mark stays, and says how far entities are ahead.
 */
export async function loadSnapshots(options: LoadOptions, range: LoadRange): Promise<void> {
  const { store, source, partition, clock, logger, stopped, limits = {} } = options;
  const { rebuildSortEntities: sortEntities = REBUILD_LIMITS.rebuildSortEntities } = limits;
  const { rebuildSortBytes: sortBytes = REBUILD_LIMITS.rebuildSortBytes } = limits;
  const { factsCreated, appliedSeq, coveredTo, confirm } = range;
  const expected = await source.count(partition, appliedSeq);
  const progress = createProgress(options, expected);
  let highest = coveredTo;
  let players = 0;
  let gathered: EncodedEntity[] = [];
  let gatheredBytes = 0;
  let writing: Promise<void> = Promise.resolve();

  const partly = (): StoreMark =>
    appliedSeq === 0 ? { appliedSeq: 0, factsCreated: '' } : { appliedSeq, aheadTo: highest, factsCreated };

  /** Begins to write what was gathered, once everything before is written. */
  async function write(lastMark: StoreMark): Promise<void> {
    const entities = gathered;
    [gathered, gatheredBytes] = [[], 0];
    await writing;
    writing = writeSorted(entities, lastMark);
    // A failure is met at the next `await writing`.
    writing.catch(() => {});
  }

  async function writeSorted(entities: EncodedEntity[], lastMark: StoreMark): Promise<void> {
    entities.sort(byId);
    const mark = partly();
    let begin = 0;
    for (let end = batchEnd(entities, begin); end < entities.length; end = batchEnd(entities, begin)) {
      await store.write({ entities: entities.slice(begin, end), mark });
      if (stopped()) return;
      begin = end;
    }
    await store.write({ entities: entities.slice(begin), mark: lastMark });
  }

  try {
    for await (const rows of source.load(partition, appliedSeq)) {
      if (stopped()) return;
      for (const encoded of rows) {
        const state = outlineOfState(encoded);
        gathered.push({ state, dirtySince: 0, snapshotSeq: state.lastSeq, encoded });
        highest = Math.max(highest, state.lastSeq);
        if (state.kind !== 'ledger') players += 1;
        gatheredBytes += encoded.length;
        progress.add(encoded.length);
      }
      if (gathered.length >= sortEntities || gatheredBytes >= sortBytes) await write(partly());
    }
    // Before the count: if ClickHouse lost rows during the load, this error names the remedy.
    await confirm(players);
    if (progress.entities < expected) {
      throw new Error(`ClickHouse returned ${progress.entities} of ${expected} snapshots of partition ${partition}`);
    }
    await write({ appliedSeq: coveredTo, factsCreated, ...(highest > coveredTo ? { aheadTo: highest } : {}) });
    await writing;
    if (stopped()) return;
  } finally {
    // The store takes no other write until this one has ended.
    await writing.catch(() => {});
    progress.end();
  }
  const { entities, sizeBytes } = progress;
  const seconds = Math.round(clock.monotonicMs() - progress.beganMs) / 1000;
  logger.info({ partition, entities, sizeBytes, seconds, coveredTo }, LOADED);
}

/** The order of the store's keys, except for characters past U+FFFF. Only speed depends on it. */
function byId({ state: { id: one } }: EncodedEntity, { state: { id: other } }: EncodedEntity): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** The end of the batch that begins at an index. */
function batchEnd(entities: readonly EncodedEntity[], begin: number): number {
  const most = Math.min(entities.length, begin + REBUILD_LIMITS.rebuildBatchEntities);
  let sizeBytes = 0;
  for (let end = begin; end < most; end++) {
    sizeBytes += entities[end]?.encoded.length ?? 0;
    if (sizeBytes >= REBUILD_LIMITS.rebuildBatchBytes) return end + 1;
  }
  return most;
}

interface Progress {
  readonly beganMs: number;
  readonly entities: number;
  readonly sizeBytes: number;
  add(sizeBytes: number): void;
  end(): void;
}

/** Reports a load every few seconds in the log and in the metric. */
function createProgress({ partition, clock, logger, metrics }: LoadOptions, expected: number): Progress {
  const labels = { partition: String(partition) };
  const beganMs = clock.monotonicMs();
  let reportedMs = beganMs;
  let entities = 0;
  let sizeBytes = 0;
  metrics.rebuildProgress.set(labels, 0);
  return {
    beganMs,
    get entities() {
      return entities;
    },
    get sizeBytes() {
      return sizeBytes;
    },
    add(bytes) {
      entities += 1;
      sizeBytes += bytes;
      if (entities % REPORT_CHECK !== 0 || clock.monotonicMs() - reportedMs < REBUILD_LIMITS.rebuildReportMs) return;
      reportedMs = clock.monotonicMs();
      const share = Math.min(1, entities / Math.max(1, expected));
      metrics.rebuildProgress.set(labels, share);
      logger.info({ partition, entities, expected, sizeBytes, share: Math.round(share * 1000) / 1000 }, LOADING);
    },
    end: () => metrics.rebuildProgress.remove(labels),
  };
}

/** Reading the clock for every entity would cost more than counting it. */
const REPORT_CHECK = 256;
