import { sleep } from '../../src/kernel/clock.ts';
import { decodeCommit, encodeCommit } from '../../streams/codec.ts';
import { factsSubject } from '../../streams/subjects.ts';
import type { Reader } from '../../streams/log/log.ts';
import { createEntities, type Entities, type EntitiesOptions } from './entities.ts';
import { appendFenced } from './fenced-append.ts';
import { prepareStore, type RebuildLimits, type RebuildOptions } from './rebuild.ts';
import { createSignal } from '../../src/kernel/signal.ts';
import type { CommitRecord, RequestPosition } from '../vocabulary/commit-record.ts';

/** A partition's state right after the barrier of its new owner. */
export interface TakenOver {
  kind: 'taken';
  /** Sequence of the barrier: the epoch. */
  epoch: number;
  entities: Entities;
  position: RequestPosition | null;
  factsCreated: string;
}

export interface TakeOverOptions extends Omit<RebuildOptions, 'limits'> {
  /** Our incarnation. */
  owner: string;
  hotBytes: number;
  /** Entities in one write to the local store; tests set it. */
  flushChunk?: number | undefined;
  configRevision: () => number;
  limits?: (EntitiesOptions['limits'] & RebuildLimits) | undefined;
}

/**
 * Takes a partition over: appends the barrier, so that older owners can no longer append, then folds FACTS up to it.
 * Makes no decisions. Rejects when something is unavailable, such as the source of snapshots; the caller tries again.
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
    limits: options.limits,
  });
  const folded = await foldUpTo(options, entities, barrier.epoch);
  if (folded !== 'done') return { kind: folded };
  return { kind: 'taken', epoch: barrier.epoch, entities, position: barrier.position, factsCreated: bounds.created };
}

type Barrier = { kind: 'appended'; epoch: number; position: RequestPosition | null } | { kind: 'deposed' | 'stopped' };

/** Appends an empty record after the subject's last one, with the position of that record. */
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
    // An older owner appended in between, or the stream is full: read the last record and try again.
    await sleep(clock, BARRIER_RETRY_MS);
  }
  return { kind: 'stopped' };
}

const BARRIER_RETRY_MS = 100;

/** Bytes of entities that may wait to be written during a fold. */
const FOLD_PINNED_BYTES = 64 * 1024 * 1024;

/** How often a fold that waits for records checks for a stop. */
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
