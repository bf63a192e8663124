import { type Clock, sleep } from '../../src/kernel/clock.ts';
import type { Logger } from '../../src/kernel/logger.ts';
import { decodeCommit, decodeJson, encodeCommit } from '../../streams/codec.ts';
import { factsSubject } from '../../streams/subjects.ts';
import type { Log, Reader, StreamBounds } from '../../streams/log/log.ts';
import { parseRebuildMark, rebuildKey } from '../../streams/rebuild-mark.ts';
import { createEntities, type Entities } from './entities.ts';
import { appendFenced } from './fenced-append.ts';
import { createSignal } from '../../src/kernel/signal.ts';
import type { SnapshotSource } from './store/snapshot-source.ts';
import type { PartitionStore, StoredEntity } from './store/store.ts';
import type { CommitRecord, RequestPosition } from '../vocabulary/commit-record.ts';

/** A partition as its new owner holds it, right after its barrier. */
export interface TakenOver {
  kind: 'taken';
  /** Sequence of the barrier: the epoch. */
  epoch: number;
  entities: Entities;
  position: RequestPosition | null;
  factsCreated: string;
}

export interface TakeOverOptions {
  partition: number;
  /** Our incarnation. */
  owner: string;
  log: Log;
  clock: Clock;
  store: PartitionStore;
  source: SnapshotSource;
  hotBytes: number;
  /** Entities written to the local store in one go; the default suits. */
  flushChunk?: number | undefined;
  configRevision: () => number;
  logger: Logger;
  stopped: () => boolean;
}

/**
 * Takes a partition over: barrier first, so that no older owner can append any more, then fold up to it. No decisions are
 * made here. Rejects when something is missing that may come back (the snapshots' source, say): try again later.
 */
export async function takeOver(options: TakeOverOptions): Promise<TakenOver | { kind: 'deposed' | 'stopped' }> {
  const { log, store } = options;
  const barrier = await appendBarrier(options);
  if (barrier.kind !== 'appended') return barrier;
  const bounds = await log.info('FACTS');
  await prepareStore(options, bounds, barrier.epoch);
  const entities = createEntities({
    store,
    factsCreated: bounds.created,
    hotBytes: options.hotBytes,
    flushChunk: options.flushChunk,
    nowMs: () => options.clock.monotonicMs(),
  });
  const folded = await foldUpTo(options, entities, barrier.epoch);
  if (folded !== 'done') return { kind: folded };
  return { kind: 'taken', epoch: barrier.epoch, entities, position: barrier.position, factsCreated: bounds.created };
}

type Barrier = { kind: 'appended'; epoch: number; position: RequestPosition | null } | { kind: 'deposed' | 'stopped' };

/** Appends an empty record after whatever the subject's last one is; it carries that one's position on. */
async function appendBarrier(options: TakeOverOptions): Promise<Barrier> {
  const { log, clock, partition, owner, stopped } = options;
  const subject = factsSubject(partition);
  while (!stopped()) {
    const { created } = await log.info('FACTS');
    const last = await log.last('FACTS', subject);
    const position = last === undefined ? null : decodeCommit(last.data).position;
    const record: CommitRecord = {
      partition,
      epoch: 0,
      owner,
      committedAt: clock.wallMs(),
      position,
      configRevision: options.configRevision(),
      facts: [],
    };
    const outcome = await appendFenced({
      log,
      clock,
      subject,
      data: encodeCommit(record),
      expectedLastSequence: last?.sequence ?? 0,
      factsCreated: created,
      stopped,
    });
    if (outcome.kind === 'committed') return { kind: 'appended', epoch: outcome.sequence, position };
    // An older owner's record came in between: go on from there. A full stream: wait until there is room.
    await sleep(clock, BARRIER_RETRY_MS);
  }
  return { kind: 'stopped' };
}

const BARRIER_RETRY_MS = 100;

/** Makes sure that the store holds everything below what FACTS can still replay. */
async function prepareStore(options: TakeOverOptions, bounds: StreamBounds, barrier: number): Promise<void> {
  const { store, logger, partition } = options;
  const mark = store.mark();
  const usable =
    mark !== undefined &&
    mark.factsCreated === bounds.created &&
    bounds.firstSequence <= mark.appliedSeq + 1 &&
    (mark.aheadTo ?? mark.appliedSeq) <= barrier;
  if (usable) return;
  if (mark !== undefined) logger.warn({ partition, mark, bounds }, 'the local store does not fit the log: rebuilding');
  await store.clear();
  if (bounds.firstSequence > 1) await loadSnapshots(options, bounds);
}

const LOAD_BATCH = 2_000;

/** Fills an empty store from the newest snapshots; replay then starts after what they are known to cover. */
async function loadSnapshots(options: TakeOverOptions, bounds: StreamBounds): Promise<void> {
  const { store, source, partition, logger } = options;
  const coveredTo = await rebuildMark(options.log, partition, bounds.created);
  if (coveredTo === undefined || coveredTo + 1 < bounds.firstSequence) {
    throw new Error(
      `partition ${partition} cannot be rebuilt: FACTS begins at ${bounds.firstSequence}, snapshots cover up to ${coveredTo ?? 0}`,
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
  // The mark goes in with the last batch only: a crash in between leaves an unusable store, which is thrown away.
  for (const [index, entities] of batches.entries()) {
    const appliedSeq = index === batches.length - 1 ? coveredTo : 0;
    await store.write({ entities, mark: { appliedSeq, factsCreated: appliedSeq === 0 ? '' : bounds.created } });
  }
  logger.info({ partition, entities: loaded, coveredTo }, 'partition loaded from snapshots');
}

/** The sequence up to which the partition's changes are in snapshots in ClickHouse, as its sink has noted it. */
async function rebuildMark(log: Log, partition: number, created: string): Promise<number | undefined> {
  const entry = await log.bucket('POSITIONS').get(rebuildKey(partition));
  const mark = entry?.value === undefined ? undefined : parseRebuildMark(decodeJson(entry.value));
  return mark?.stream === created ? mark.coveredTo : undefined;
}

/** How much may wait for the store during a long fold. */
const FOLD_PINNED_BYTES = 64 * 1024 * 1024;

/** How soon a stop is noticed while the log is silent. */
const STOP_CHECK_MS = 500;

async function foldUpTo(options: TakeOverOptions, entities: Entities, barrier: number): Promise<'done' | 'stopped'> {
  const { log, partition, stopped } = options;
  const signal = createSignal();
  const subject = factsSubject(partition);
  const reader = log.read('FACTS', { subjects: [subject], from: entities.appliedSeq + 1, onWaiting: signal.notify });
  try {
    while (entities.appliedSeq < barrier) {
      if (stopped()) return 'stopped';
      await foldWaiting(reader, entities, barrier);
      if (entities.appliedSeq >= barrier) break;
      if (reader.ended !== undefined) throw new Error('FACTS changed during the take-over');
      await signal.wait(options.clock, STOP_CHECK_MS);
    }
    await entities.flush();
    return 'done';
  } finally {
    reader.stop();
  }
}

async function foldWaiting(reader: Reader, entities: Entities, barrier: number): Promise<void> {
  for (let records = reader.take(); records.length > 0; records = reader.take()) {
    for (const { data, sequence } of records) {
      if (sequence > barrier) return;
      entities.fold(decodeCommit(data), sequence);
      if (entities.pinnedBytes > FOLD_PINNED_BYTES) {
        await entities.flush();
        entities.trim();
      }
    }
  }
}
