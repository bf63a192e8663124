import { open, type Database } from 'lmdb';
import { decodeState, encodeState } from '../../streams/codec.ts';
import { dueAt } from '../due.ts';
import type { PartitionStore, StoreBatch, StoredEntity, StoreMark, Stores } from './store.ts';

/** Databases of one partition: entities, due-time index, index of what waits for a snapshot, mark. */
const DATABASES_PER_PARTITION = 4;
const MAX_PARTITIONS = 256;

/**
 * Local stores in one LMDB environment at `path`. LMDB commits with overlapping sync: after a power loss it opens at a
 * transaction that was flushed whole, which is all a cache of the log needs.
 */
export function openLmdbStores(path: string): Stores {
  const root = open({
    path,
    maxDbs: DATABASES_PER_PARTITION * MAX_PARTITIONS,
    encoding: 'binary',
    cache: false,
  });
  const partitions = new Map<number, PartitionStore>();
  return {
    partition(partition) {
      const known = partitions.get(partition);
      if (known !== undefined) return known;
      const binary = { encoding: 'binary' } as const;
      const made = createStore({
        transact: (action) => root.transaction(action),
        entities: root.openDB<Uint8Array, string>(`${partition}/entities`, binary),
        due: root.openDB<Uint8Array, [number, string]>(`${partition}/due`, binary),
        dirty: root.openDB<Uint8Array, [number, string]>(`${partition}/dirty`, binary),
        meta: root.openDB<StoreMark, string>(`${partition}/meta`, { encoding: 'json' }),
      });
      partitions.set(partition, made);
      return made;
    },
    close: () => root.close(),
  };
}

interface Databases {
  transact: (action: () => void) => Promise<void>;
  entities: Database<Uint8Array, string>;
  /** `[dueAt, id]`. */
  due: Database<Uint8Array, [number, string]>;
  /** `[dirtySince, id]`. */
  dirty: Database<Uint8Array, [number, string]>;
  meta: Database<StoreMark, string>;
}

const NOTHING = new Uint8Array(0);
const MARK = 'mark';

function createStore({ transact, entities, due, dirty, meta }: Databases): PartitionStore {
  function put(stored: StoredEntity): void {
    const { id } = stored.state;
    const dueNow = dueAt(stored.state) ?? 0;
    const old = entities.getBinaryFast(id);
    const was = old === undefined ? { dueAt: 0, dirtySince: 0 } : readHeader(old);
    if (was.dueAt !== dueNow) {
      if (was.dueAt !== 0) void due.remove([was.dueAt, id]);
      if (dueNow !== 0) void due.put([dueNow, id], NOTHING);
    }
    if (was.dirtySince !== stored.dirtySince) {
      if (was.dirtySince !== 0) void dirty.remove([was.dirtySince, id]);
      if (stored.dirtySince !== 0) void dirty.put([stored.dirtySince, id], NOTHING);
    }
    void entities.put(id, writeRow(stored, dueNow));
  }

  return {
    mark: () => meta.get(MARK),
    get(entityId) {
      const row = entities.getBinary(entityId);
      return row === undefined ? undefined : readRow(row);
    },
    async write(batch: StoreBatch) {
      await transact(() => {
        for (const entity of batch.entities) put(entity);
        void meta.put(MARK, batch.mark);
      });
    },
    due(nowMs, most) {
      const ids: string[] = [];
      for (const [, id] of due.getKeys({ end: [nowMs + 1, ''], limit: most })) ids.push(id);
      return ids;
    },
    nextDue() {
      for (const [at] of due.getKeys({ limit: 1 })) return at;
      return undefined;
    },
    *dirty() {
      for (const [dirtySince, entityId] of dirty.getKeys()) {
        const row = entities.getBinaryFast(entityId);
        yield { entityId, dirtySince, snapshotSeq: row === undefined ? 0 : readHeader(row).snapshotSeq };
      }
    },
    idsAfter(entityId, most) {
      if (entityId === undefined) return [...entities.getKeys({ limit: most })];
      const ids = [...entities.getKeys({ start: entityId, limit: most + 1 })];
      return (ids[0] === entityId ? ids.slice(1) : ids).slice(0, most);
    },
    *all() {
      for (const { value } of entities.getRange()) yield readRow(value);
    },
    count: () => entities.getCount(),
    async clear() {
      await transact(() => {
        for (const database of [entities, due, dirty, meta]) database.clearSync();
      });
    },
  };
}

/** A row: three little-endian doubles (due time or 0, dirtySince, snapshotSeq), then the encoded state. */
const HEADER_BYTES = 24;

function writeRow({ state, dirtySince, snapshotSeq }: StoredEntity, dueNow: number): Uint8Array {
  const body = encodeState(state);
  const row = Buffer.allocUnsafe(HEADER_BYTES + body.length);
  row.writeDoubleLE(dueNow, 0);
  row.writeDoubleLE(dirtySince, 8);
  row.writeDoubleLE(snapshotSeq, 16);
  row.set(body, HEADER_BYTES);
  return row;
}

function readHeader(row: Buffer): { dueAt: number; dirtySince: number; snapshotSeq: number } {
  return { dueAt: row.readDoubleLE(0), dirtySince: row.readDoubleLE(8), snapshotSeq: row.readDoubleLE(16) };
}

function readRow(bytes: Uint8Array): StoredEntity {
  const row = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { dirtySince, snapshotSeq } = readHeader(row);
  return { state: decodeState(row.subarray(HEADER_BYTES)), dirtySince, snapshotSeq };
}
