import { conditionsState, decodeState, encodeState, headOfState } from '../../../core/codec/state/state-codec.ts';
import { dueAt } from '../../timers.ts';
import { recount } from './player-counts.ts';
import type { PartitionStore, StoreBatch, StoredEntity, StoreMark, Stores } from './store.ts';

interface Row {
  bytes: Uint8Array;
  dirtySince: number;
  snapshotSeq: number;
  dueAt: number | null;
}

/**
 * Stores in memory, for tests and the simulation. Written data lives as long as this object, so a test restarts a
 * process by passing it on. With `delay` a test holds or fails a write.
 */
export function createMemoryStores(delay: () => Promise<void> = () => Promise.resolve()): Stores {
  const partitions = new Map<number, PartitionStore>();
  return {
    partition(partition) {
      const known = partitions.get(partition);
      if (known !== undefined) return known;
      const made = createMemoryStore(delay);
      partitions.set(partition, made);
      return made;
    },
    close: () => Promise.resolve(),
  };
}

function createMemoryStore(delay: () => Promise<void>): PartitionStore {
  const rows = new Map<string, Row>();
  let mark: StoreMark | undefined;
  const read = (row: Row): StoredEntity => ({
    state: decodeState(row.bytes),
    dirtySince: row.dirtySince,
    snapshotSeq: row.snapshotSeq,
  });

  function apply(batch: StoreBatch): void {
    for (const written of batch.entities) {
      const { state, dirtySince, snapshotSeq } = written;
      const bytes = written.encoded ?? encodeState(written.state);
      rows.set(state.id, { bytes, dirtySince, snapshotSeq, dueAt: dueAt(state) });
    }
    ({ mark } = batch);
  }

  return {
    mark: () => mark,
    get(entityId) {
      const row = rows.get(entityId);
      return row === undefined ? undefined : read(row);
    },
    async write(batch) {
      await delay();
      apply(batch);
    },
    due(nowMs, most) {
      const due = [...rows].filter(([, row]) => row.dueAt !== null && row.dueAt <= nowMs);
      due.sort(([, a], [, b]) => Number(a.dueAt) - Number(b.dueAt));
      return due.slice(0, most).map(([id]) => id);
    },
    nextDue() {
      let next: number | undefined;
      for (const row of rows.values()) {
        if (row.dueAt !== null && (next === undefined || row.dueAt < next)) next = row.dueAt;
      }
      return next;
    },
    dirty: () =>
      [...rows]
        .filter(([, row]) => row.dirtySince > 0)
        .sort(([, a], [, b]) => a.dirtySince - b.dirtySince)
        .map(([entityId, { dirtySince, snapshotSeq }]) => ({ entityId, dirtySince, snapshotSeq })),
    idsAfter: (entityId, most) =>
      [...rows.keys()]
        .sort()
        .filter((id) => entityId === undefined || id > entityId)
        .slice(0, most),
    head(entityId) {
      const row = rows.get(entityId);
      return row && headOfState(row.bytes);
    },
    forConditions(entityId, isWanted) {
      const row = rows.get(entityId);
      return row !== undefined && isWanted(headOfState(row.bytes)) ? conditionsState(row.bytes) : undefined;
    },
    all: () => [...rows.values()].map(read),
    count: () => rows.size,
    players() {
      const counts = new Map<string, number>();
      for (const { bytes } of rows.values()) recount(counts, undefined, headOfState(bytes));
      return counts;
    },
    async clear() {
      await delay();
      rows.clear();
      mark = undefined;
    },
  };
}
