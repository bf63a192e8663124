import { evolve } from '../evolve.ts';
import { FactOrderError } from '../evolve-player.ts';
import { LEDGER_PREFIX } from '../vocabulary/commands.ts';
import type { EntitySnapshot } from '../vocabulary/facts.ts';
import type { EntityState } from '../vocabulary/state.ts';
import { stateBytes } from '../vocabulary/size-estimates.ts';
import { withSharedServed } from '../flags/shared-served.ts';
import { type CommitDraft, createDraft } from './draft.ts';
import { createSnapshotQueue, type SnapshotLimits, type SnapshotQueue } from './store/snapshot-queue.ts';
import type { PlayerLimits } from '../decision.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import type { DirtyEntity, PartitionStore, StoredEntity } from './store/store.ts';
import type { CommitRecord } from '../vocabulary/commit-record.ts';

/**
 * The entities of one partition: committed states in memory over the local store.
 *
 * Owns: the hot map, the set of entities that the store does not hold yet, the ids of all ledgers, and the snapshot
 * queue.
 * Invariants
 * 1. A committed state is immutable; `lastSeq` and `bornSeq` are set once, when its record's sequence is known.
 * 2. An entity that the store does not hold yet stays in `hot` and is never read from the store.
 * 3. A draft's states are visible only to that draft until `applyCommit`.
 */
export interface Entities {
  /** The committed state. */
  get(entityId: string): EntityState | undefined;
  /** The same without loading the entity into memory; for sweeps over all entities. */
  peek(entityId: string): EntityState | undefined;
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
  /** Writes the entities that the store does not hold yet. One call at a time. */
  flush(): Promise<void>;
  /** Evicts the least recently used entities beyond the byte budget. */
  trim(): void;
  /**
   * Makes a snapshot of every ledger due unless a mark says that ClickHouse has them: rows of older versions replaced
   * each other. Called at the start of a term.
   */
  repeatLedgers(): void;
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
  /** Rough bytes that cannot be evicted yet. */
  readonly pinnedBytes: number;
}

interface Hot extends StoredEntity {
  /** Rough bytes in memory. */
  sizeBytes: number;
  /** Used since the last `trim` that reached it. */
  used: boolean;
  /** The delay of the newest snapshot since the entity is in memory, and its monotonic time; 0: none. */
  lastDelayMs: number;
  snapshotAtMs: number;
}

export interface EntitiesOptions {
  store: PartitionStore;
  factsCreated: string;
  /** Whether the partition's rebuild mark says that every ledger has a row of its own in ClickHouse. Default: yes. */
  hasLedgers?: boolean | undefined;
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

/** About 2 ms. */
const FLUSH_CHUNK = 256;

export function createEntities(options: EntitiesOptions): Entities {
  const { store, factsCreated, hotBytes, flushChunk = FLUSH_CHUNK, nowMs, limits = LIMITS } = options;
  /**
   * In the order of eviction. `trim` moves an entity that was used since to the end (second chance). Moving it at each
   * use would cost two more map operations for every event.
   */
  const hot = new Map<string, Hot>();
  let unflushed = new Set<string>();
  let flushing: ReadonlySet<string> = new Set<string>();
  let totalBytes = 0;
  let pinnedBytes = 0;
  let storedSeq = store.mark()?.appliedSeq ?? 0;
  let appliedSeq = storedSeq;
  const ledgerIds = new Set(storedLedgers(store));
  /** As the newest mark says. */
  let { hasLedgers = true } = options;
  const snapshots = createSnapshotQueue(nowMs, limits);
  // Entities that changed after the mark follow in `fold`, between the others of the same replay: the queue's order is
  // that of the changes.
  for (const stored of store.dirty()) {
    if (stored.dirtySince <= storedSeq) waitsFromStore(stored.entityId, stored);
  }

  /** An entity's state and its oldest change come from the store. */
  function waitsFromStore(entityId: string, { dirtySince, snapshotSeq }: Omit<DirtyEntity, 'entityId'>): void {
    snapshots.changed(entityId, dirtySince, { isFirst: snapshotSeq === 0, lastDelayMs: 0, restedMs: 0 });
  }

  function load(entityId: string): Hot | undefined {
    const held = hot.get(entityId);
    if (held !== undefined) {
      held.used = true;
      return held;
    }
    // Events ask for a ledger that most games do not have, and a look-up in the store takes microseconds.
    if (entityId.startsWith(LEDGER_PREFIX) && !ledgerIds.has(entityId)) return undefined;
    const stored = store.get(entityId);
    if (stored === undefined) return undefined;
    const state = withSharedServed(stored.state);
    const entity = { ...stored, state, sizeBytes: stateBytes(state), used: true, lastDelayMs: 0, snapshotAtMs: 0 };
    hot.set(entityId, entity);
    totalBytes += entity.sizeBytes;
    return entity;
  }

  function replace(entityId: string, entity: Hot): void {
    totalBytes += entity.sizeBytes - (hot.get(entityId)?.sizeBytes ?? 0);
    hot.set(entityId, entity);
    if (unflushed.has(entityId)) return;
    unflushed.add(entityId);
    pinnedBytes += entity.sizeBytes;
  }

  function applyState(entityId: string, state: EntityState, sequence: number): void {
    state.lastSeq = sequence;
    if (state.kind === 'player' && state.bornSeq === 0) state.bornSeq = sequence;
    const before = load(entityId);
    if (before === undefined && state.kind === 'ledger') ledgerIds.add(entityId);
    const { snapshotSeq = 0, lastDelayMs = 0, snapshotAtMs = 0 } = before ?? {};
    const dirtySince = before === undefined || before.dirtySince === 0 ? sequence : before.dirtySince;
    if (dirtySince === sequence) {
      const restedMs = nowMs() - snapshotAtMs;
      snapshots.changed(entityId, sequence, { isFirst: snapshotSeq === 0, lastDelayMs, restedMs });
    }
    if (showsChange(before?.state, state)) snapshots.shown(entityId);
    replace(entityId, {
      state,
      dirtySince,
      snapshotSeq,
      sizeBytes: stateBytes(state),
      used: true,
      lastDelayMs,
      snapshotAtMs,
    });
  }

  function snapshotted(fact: EntitySnapshot): void {
    const entity = load(fact.entityId);
    if (entity === undefined || entity.state.lastSeq !== fact.state.lastSeq) {
      throw new FactOrderError(`snapshot of ${fact.entityId} at ${fact.state.lastSeq} is not of the state held`);
    }
    const lastDelayMs = snapshots.taken(fact.entityId);
    const { lastSeq: snapshotSeq } = entity.state;
    replace(fact.entityId, { ...entity, dirtySince: 0, snapshotSeq, lastDelayMs, snapshotAtMs: nowMs() });
  }

  function fold(record: CommitRecord, sequence: number): void {
    const changed = new Map<string, EntityState>();
    const erasures = erasuresIn(record);
    for (const [index, fact] of record.facts.entries()) {
      if (fact.kind === 'SnapshotMark') {
        hasLedgers = fact.players !== undefined;
        continue;
      }
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

  function trim(): void {
    if (totalBytes <= hotBytes) return;
    for (const [entityId, entity] of hot) {
      if (unflushed.has(entityId) || flushing.has(entityId)) continue;
      hot.delete(entityId);
      if (entity.used) {
        entity.used = false;
        hot.set(entityId, entity);
        continue;
      }
      totalBytes -= entity.sizeBytes;
      if (totalBytes <= hotBytes) return;
    }
  }

  async function flush(): Promise<void> {
    const upTo = appliedSeq;
    const batch: StoredEntity[] = [];
    for (const entityId of unflushed) {
      const entity = hot.get(entityId);
      if (entity !== undefined) batch.push(entity);
    }
    flushing = unflushed;
    unflushed = new Set();
    pinnedBytes = 0;
    try {
      let at = 0;
      for (; batch.length - at > flushChunk; at += flushChunk) {
        const mark = { appliedSeq: storedSeq, aheadTo: upTo, factsCreated };
        await store.write({ entities: batch.slice(at, at + flushChunk), mark });
      }
      await store.write({ entities: batch.slice(at), mark: { appliedSeq: upTo, factsCreated } });
      storedSeq = upTo;
      flushing = new Set();
    } catch (error) {
      for (const entityId of flushing) {
        if (unflushed.has(entityId)) continue;
        unflushed.add(entityId);
        pinnedBytes += hot.get(entityId)?.sizeBytes ?? 0;
      }
      flushing = new Set();
      throw error;
    }
  }

  return {
    get: (entityId) => load(entityId)?.state,
    peek: (entityId) => (hot.get(entityId) ?? store.get(entityId))?.state,
    held: (entityId) => hot.get(entityId)?.state,
    draft: () => createDraft((entityId) => load(entityId)?.state, limits),
    applyCommit(draft, snapshotFacts, sequence) {
      for (const fact of snapshotFacts) snapshotted(fact);
      if (draft !== undefined) for (const [entityId, state] of draft.changed) applyState(entityId, state, sequence);
      appliedSeq = sequence;
    },
    fold,
    flush,
    trim,
    repeatLedgers() {
      if (!hasLedgers) for (const entityId of ledgerIds) snapshots.repeat(entityId);
    },
    ledgersOf: (prefix) => [...ledgerIds].filter((id) => id.startsWith(prefix)),
    get ledgerCount() {
      return ledgerIds.size;
    },
    get behind() {
      return unflushed.size > 0 || storedSeq < appliedSeq;
    },
    get appliedSeq() {
      return appliedSeq;
    },
    snapshots,
    get hotCount() {
      return hot.size;
    },
    get pinnedBytes() {
      return pinnedBytes;
    },
  };
}

/** In one page. */
const LEDGERS_AT_ONCE = 1_000;

/** The ids of the ledgers in a store. They follow each other in the order of its keys. */
function* storedLedgers(store: PartitionStore): Iterable<string> {
  let after = LEDGER_PREFIX;
  for (;;) {
    const ids = store.idsAfter(after, LEDGERS_AT_ONCE);
    for (const entityId of ids) {
      if (!entityId.startsWith(LEDGER_PREFIX)) return;
      yield entityId;
      after = entityId;
    }
    if (ids.length < LEDGERS_AT_ONCE) return;
  }
}

/** The index of every entity's last erasure in a record; `undefined`: the record has none. */
function erasuresIn({ facts }: CommitRecord): Map<string, number> | undefined {
  let erasures: Map<string, number> | undefined;
  for (const [index, fact] of facts.entries()) {
    if (fact.kind === 'PlayerErased') (erasures ??= new Map()).set(fact.entityId, index);
  }
  return erasures;
}

/**
 * Whether a field changed that analysts read within `snapshotIntervalMs`: all of a player's row but its attributes and
 * the time of its last activity, which change with most requests of a game.
 */
function showsChange(before: EntityState | undefined, after: EntityState): boolean {
  if (after.kind !== 'player' || before?.kind !== 'player') return before?.kind !== after.kind;
  return (
    after.lifecycleStage !== before.lifecycleStage ||
    after.sessionCount !== before.sessionCount ||
    after.totalPlaytimeSeconds !== before.totalPlaytimeSeconds ||
    after.purchaseCount !== before.purchaseCount ||
    after.totalRevenue !== before.totalRevenue ||
    after.deviceId !== before.deviceId ||
    after.email !== before.email
  );
}
