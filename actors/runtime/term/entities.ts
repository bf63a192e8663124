import { evolve } from '../../evolve.ts';
import { FactOrderError } from '../../decision/evolve-player.ts';
import { LEDGER_PREFIX } from '../../../core/vocabulary/commands/commands.ts';
import { showsChange } from '../definitions/shown-change.ts';
import { storedLedgers } from '../store/stored-ledgers.ts';
import type { EntitySnapshot } from '../../../core/vocabulary/facts/facts.ts';
import type { EntityState } from '../../../core/vocabulary/state/state.ts';
import { stateBytes } from '../store/state-memory.ts';
import { withSharedServed } from '../../flags/evaluate/shared-served.ts';
import { type CommitDraft, createDraft } from './draft.ts';
import { createSnapshotQueue, type SnapshotLimits, type SnapshotQueue } from '../store/snapshot-queue.ts';
import type { PlayerLimits } from '../../decision/decision.ts';
import { createHotEntities, type HotEntity } from '../store/hot-entities.ts';
import type { DirtyEntity, PartitionStore } from '../store/store.ts';
import type { CommitRecord } from '../../../core/vocabulary/facts/commit-record.ts';

/**
 * The entities of one partition: committed states in memory over the local store.
 *
 * Owns: the hot entities, the ids of all ledgers, and the snapshot queue.
 * Invariants
 * 1. A committed state is immutable; `lastSeq` and `bornSeq` are set once, when its record's sequence is known.
 * 2. An entity that the store does not hold yet stays in `hot` and is never read from the store.
 * 3. A draft's states are visible only to that draft until `applyCommit`.
 * 4. Work in bulk takes no room in memory from players who play.
 */
export interface Entities {
  /** The committed state. */
  get(entityId: string): EntityState | undefined;
  /** The same without loading the entity into memory; for sweeps over all entities. */
  peek(entityId: string): EntityState | undefined;
  /** The same for work in bulk (lists, sweeps, snapshots): it stays no longer in memory for it. */
  inBulk(entityId: string): EntityState | undefined;
  /** The same if it is in memory. */
  held(entityId: string): EntityState | undefined;
  /** Starts a draft. Only one at a time. */
  draft(): CommitDraft;
  /**
   * Makes a draft's states the committed ones, as of `sequence`. `snapshotted` are in the same record, before its
   * facts.
   */
  applyCommit(draft: CommitDraft | undefined, snapshotted: readonly EntitySnapshot[], sequence: number): void;
  /** Applies a record read from the log; entities that hold it already are skipped. */
  fold(record: CommitRecord, sequence: number): void;
  /** Writes the entities that the store does not hold yet. One call at a time. @param onStored called for each part */
  flush(onStored?: () => void): Promise<void>;
  /** Evicts the least recently used entities beyond the byte budget. */
  trim(): void;
  /** Number of ledgers, those included that the store does not hold yet. */
  readonly ledgerCount: number;
  /** The ids of the ledgers with this prefix. */
  ledgersOf(prefix: string): readonly string[];
  /** Whether the store is behind. */
  readonly behind: boolean;
  /** FACTS sequence up to which this partition has been applied. */
  readonly appliedSeq: number;
  readonly snapshots: SnapshotQueue;
  /** Entities in memory. */
  readonly hotCount: number;
  /** Rough bytes that the store does not hold yet, so that they cannot be evicted. */
  readonly pinnedBytes: number;
  /** The part of them that only work in bulk uses. */
  readonly bulkBytes: number;
}

export interface EntitiesOptions {
  store: PartitionStore;
  factsCreated: string;
  /** Rough bytes of entities to keep in memory. */
  hotBytes: number;
  /**
   * Entities in one transaction of the store. Until the last transaction of a flush, stored entities are ahead of the
   * store's mark; a replay from the mark skips records that they hold already.
   */
  flushChunk?: number | undefined;
  /** Monotonic clock, milliseconds. */
  nowMs: () => number;
  limits?: (PlayerLimits & SnapshotLimits) | undefined;
}

/** An entity that waits for its snapshot takes 200 bytes: those of work in bulk take a twentieth of `hotBytes`. */
const HOT_BYTES_PER_WAITING = 4_096;
/** About 2 ms. */
const FLUSH_CHUNK = 256;

export function createEntities(options: EntitiesOptions): Entities {
  const { store, factsCreated, hotBytes, flushChunk = FLUSH_CHUNK, nowMs, limits } = options;
  const hot = createHotEntities(hotBytes);
  /** What work in bulk has read since the begin of the draft. */
  const bulkRead = new Map<string, HotEntity>();
  let storedSeq = store.mark()?.appliedSeq ?? 0;
  let appliedSeq = storedSeq;
  const ledgerIds = new Set(storedLedgers(store));
  const snapshots = createSnapshotQueue(nowMs, limits, hotBytes / HOT_BYTES_PER_WAITING);
  // Entities that changed after the mark follow in `fold`, between the others of the same replay: the queue's order is
  // that of the changes.
  for (const stored of store.dirty()) {
    if (stored.dirtySince <= storedSeq) waitsFromStore(stored.entityId, stored);
  }

  /** An entity's state and its oldest change come from the store. */
  function waitsFromStore(entityId: string, { dirtySince, snapshotSeq }: Omit<DirtyEntity, 'entityId'>): void {
    snapshots.changed(entityId, dirtySince, { isFirst: snapshotSeq === 0, lastDelayMs: 0, restedMs: 0 });
  }

  function load(entityId: string, isBulk = false): HotEntity | undefined {
    const held = hot.get(entityId) ?? (isBulk ? bulkRead.get(entityId) : undefined);
    if (held !== undefined) {
      if (!isBulk) [held.used, held.isBulk] = [true, false];
      return held;
    }
    // Events ask for a ledger that most games do not have, and a look-up in the store takes microseconds.
    if (entityId.startsWith(LEDGER_PREFIX) && !ledgerIds.has(entityId)) return undefined;
    const stored = store.get(entityId);
    if (stored === undefined) return undefined;
    const state = withSharedServed(stored.state);
    const sizeBytes = stateBytes(state);
    const entity = { ...stored, state, sizeBytes, used: !isBulk, isBulk, lastDelayMs: 0, snapshotAtMs: 0 };
    if (isBulk) bulkRead.set(entityId, entity);
    else hot.add(entityId, entity);
    return entity;
  }

  function applyState(entityId: string, state: EntityState, sequence: number): void {
    state.lastSeq = sequence;
    if (state.kind === 'player' && state.bornSeq === 0) state.bornSeq = sequence;
    const before = load(entityId, true);
    if (before === undefined && state.kind === 'ledger') ledgerIds.add(entityId);
    const { snapshotSeq = 0, lastDelayMs = 0, snapshotAtMs = 0, used = true, isBulk = false } = before ?? {};
    const dirtySince = before === undefined || before.dirtySince === 0 ? sequence : before.dirtySince;
    if (dirtySince === sequence) {
      const restedMs = nowMs() - snapshotAtMs;
      snapshots.changed(entityId, sequence, { isFirst: snapshotSeq === 0, lastDelayMs, restedMs, isBulk });
    }
    if (showsChange(before?.state, state)) snapshots.shown(entityId);
    hot.change(entityId, {
      state,
      dirtySince,
      snapshotSeq,
      sizeBytes: stateBytes(state),
      used,
      isBulk,
      lastDelayMs,
      snapshotAtMs,
    });
  }

  function snapshotted(fact: EntitySnapshot): void {
    const entity = load(fact.entityId, true);
    if (entity === undefined || entity.state.lastSeq !== fact.state.lastSeq) {
      throw new FactOrderError(`snapshot of ${fact.entityId} at ${fact.state.lastSeq} is not of the state held`);
    }
    const lastDelayMs = snapshots.taken(fact.entityId);
    const { lastSeq: snapshotSeq } = entity.state;
    hot.change(fact.entityId, { ...entity, dirtySince: 0, snapshotSeq, lastDelayMs, snapshotAtMs: nowMs() });
  }

  function fold(record: CommitRecord, sequence: number): void {
    const changed = new Map<string, EntityState>();
    const erasures = erasuresIn(record);
    for (const [index, fact] of record.facts.entries()) {
      if (fact.kind === 'SnapshotMark') continue;
      // Facts before an erasure are skipped: after a rebuild the state that they apply to may be missing.
      if (erasures !== undefined && index < (erasures.get(fact.entityId) ?? 0)) continue;
      const held = load(fact.entityId);
      const before = changed.get(fact.entityId) ?? held?.state;
      if (held !== undefined && held.state.lastSeq >= sequence) {
        if (held.dirtySince === sequence) waitsFromStore(fact.entityId, held);
        continue;
      }
      if (fact.kind === 'EntitySnapshot') snapshotted(fact);
      else changed.set(fact.entityId, evolve(before, fact, limits));
    }
    for (const [entityId, state] of changed) applyState(entityId, state, sequence);
    appliedSeq = sequence;
  }

  async function flush(onStored = () => {}): Promise<void> {
    const upTo = appliedSeq;
    const batch = hot.beginWrite();
    try {
      let at = 0;
      for (; batch.length - at > flushChunk; at += flushChunk) {
        const mark = { appliedSeq: storedSeq, aheadTo: upTo, factsCreated };
        const chunk = batch.slice(at, at + flushChunk);
        await store.write({ entities: chunk, mark });
        stored(chunk, onStored);
      }
      const rest = batch.slice(at);
      await store.write({ entities: rest, mark: { appliedSeq: upTo, factsCreated } });
      storedSeq = upTo;
      stored(rest, onStored);
    } finally {
      hot.endWrite();
    }
  }

  function stored(batch: readonly HotEntity[], onStored: () => void): void {
    hot.written(batch);
    onStored();
  }

  return {
    get: (entityId) => load(entityId)?.state,
    peek: (entityId) => (hot.get(entityId) ?? store.get(entityId))?.state,
    inBulk: (entityId) => load(entityId, true)?.state,
    held: (entityId) => hot.get(entityId)?.state,
    draft() {
      bulkRead.clear();
      return createDraft((entityId, isBulk) => load(entityId, isBulk)?.state, limits);
    },
    applyCommit(draft, snapshotFacts, sequence) {
      for (const fact of snapshotFacts) snapshotted(fact);
      if (draft !== undefined) for (const [entityId, state] of draft.changed) applyState(entityId, state, sequence);
      appliedSeq = sequence;
    },
    fold,
    flush,
    trim: () => hot.trim(),
    ledgersOf: (prefix) => [...ledgerIds].filter((id) => id.startsWith(prefix)),
    get ledgerCount() {
      return ledgerIds.size;
    },
    get behind() {
      return hot.isWaiting || storedSeq < appliedSeq;
    },
    get appliedSeq() {
      return appliedSeq;
    },
    snapshots,
    get hotCount() {
      return hot.count;
    },
    get pinnedBytes() {
      return hot.pinnedBytes.all;
    },
    get bulkBytes() {
      return hot.pinnedBytes.bulk;
    },
  };
}

/** The index of every entity's last erasure in a record; `undefined`: the record has none. */
function erasuresIn({ facts }: CommitRecord): Map<string, number> | undefined {
  let erasures: Map<string, number> | undefined;
  for (const [index, fact] of facts.entries()) {
    if (fact.kind === 'PlayerErased') (erasures ??= new Map()).set(fact.entityId, index);
  }
  return erasures;
}
