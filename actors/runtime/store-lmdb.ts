import { open, type Database } from 'lmdb';
import { decodeState, encodeState, headOfState } from '../../streams/codec.ts';
import type { StateHead } from '../../streams/wire/state-head.ts';
import { dueAt } from '../due.ts';
import { recount } from './player-counts.ts';
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
        meta: root.openDB<StoreMark | [string, number][], string>(`${partition}/meta`, { encoding: 'json' }),
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
  /** The mark, and the numbers of players. */
  meta: Database<StoreMark | [string, number][], string>;
}

const NOTHING = new Uint8Array(0);
const MARK = 'mark';
const PLAYERS = 'players';

function createStore({ transact, entities, due, dirty, meta }: Databases): PartitionStore {
  let counts: Map<string, number> | undefined;

  /** A store of an earlier version has none: they are counted once, which takes a second or two for a million players. */
  function players(): Map<string, number> {
    const stored = counts === undefined ? meta.get(PLAYERS) : undefined;
    if (Array.isArray(stored)) counts = new Map(stored);
    if (counts !== undefined) return counts;
    const counted = new Map<string, number>();
    for (const { value } of entities.getRange()) recount(counted, undefined, headOfRow(value));
    counts = counted;
    return counted;
  }

  /** Whether the numbers of players changed. */
  function put(stored: StoredEntity): boolean {
    const { id } = stored.state;
    const dueNow = dueAt(stored.state) ?? 0;
    const old = entities.getBinaryFast(id);
    const changed = recount(players(), old === undefined ? undefined : headOfRow(old), stored.state);
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
    return changed;
  }

  return {
    mark() {
      const mark = meta.get(MARK);
      return Array.isArray(mark) ? undefined : mark;
    },
    get(entityId) {
      const row = entities.getBinary(entityId);
      return row === undefined ? undefined : readRow(row);
    },
    async write(batch: StoreBatch) {
      // What the store holds now is counted before anything changes.
      players();
      try {
        await transact(() => {
          let changed = false;
          for (const entity of batch.entities) changed = put(entity) || changed;
          if (changed || meta.get(PLAYERS) === undefined) void meta.put(PLAYERS, [...players()]);
          void meta.put(MARK, batch.mark);
        });
      } catch (error) {
        counts = undefined;
        throw error;
      }
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
    players,
    async clear() {
      await transact(() => {
        for (const database of [entities, due, dirty, meta]) database.clearSync();
      });
      counts = undefined;
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

function headOfRow(row: Uint8Array): StateHead {
  return headOfState(row.subarray(HEADER_BYTES));
}

function readRow(bytes: Uint8Array): StoredEntity {
  const row = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { dirtySince, snapshotSeq } = readHeader(row);
  return { state: decodeState(row.subarray(HEADER_BYTES)), dirtySince, snapshotSeq };
}
