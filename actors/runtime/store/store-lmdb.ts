import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { open, type Database } from 'lmdb';
import { OWNER_LIMITS } from '../limits.ts';
import { decodeState, encodeState, conditionsState, headOfState } from '../../../core/codec/state/state-codec.ts';
import { dueAt } from '../../timers.ts';
import type { StateHead } from '../../../core/vocabulary/state/state-outline.ts';
import { recount } from './player-counts.ts';
import { readOrFault, StoreFaultError } from './checked-store.ts';
import type { PartitionStore, StoreBatch, StoredEntity, StoreMark, Stores, WrittenEntity } from './store.ts';

/** Databases of one partition: entities, index of due times, index of entities that wait for a snapshot, mark. */
const DATABASES_PER_PARTITION = 4;
const MAX_PARTITIONS = 256;

/**
 * Local stores in one LMDB environment at `path`. LMDB commits with overlapping sync: after a power loss it opens at
 * the last transaction that was flushed whole, which suffices for a cache of the log.
 */
export function openLmdbStores(path: string): Stores {
  const { root, compaction } = openRoot(path);
  const partitions = new Map<number, PartitionStore>();
  return {
    partition(partition) {
      const known = partitions.get(partition);
      if (known !== undefined) return known;
      const binary = { encoding: 'binary' } as const;
      const made = createStore({
        transact: (action) => transact(root, action),
        entities: root.openDB<Uint8Array, string>(`${partition}/entities`, binary),
        due: root.openDB<Uint8Array, [number, string]>(`${partition}/due`, binary),
        dirty: root.openDB<Uint8Array, [number, string]>(`${partition}/dirty`, binary),
        compaction,
        meta: root.openDB<StoreMark | StoredNumbers, string>(`${partition}/meta`, { encoding: 'json' }),
      });
      partitions.set(partition, made);
      return made;
    },
    close: () => root.close(),
  };
}

/**
 * Writes the file anew, entry by entry, if a player was erased since the last time: LMDB keeps the content of a free
 * page, and of the free space within a page, until it uses them again, and its own copy has the latter too. At most
 * once a day, because it copies all players: 428 MB took 11 s beside other work. Call it before the stores are opened.
 * A crash or a failure leaves the old file or the new one; after a failure the next start tries again.
 * @returns whether it wrote a new file
 */
export async function compactLmdbStores(path: string, nowMs: number): Promise<boolean> {
  if (!existsSync(join(path, FILE))) return false;
  const copy = join(path, 'compacted');
  try {
    if (!(await copyIfDue(path, copy, nowMs))) return false;
    await noteCompaction(copy, nowMs);
    renameSync(join(copy, FILE), join(path, FILE));
    return true;
  } finally {
    // Of a failure too: the disk may be full of it.
    rmSync(copy, { recursive: true, force: true });
  }
}

async function copyIfDue(path: string, copy: string, nowMs: number): Promise<boolean> {
  const { root, compaction } = openRoot(path);
  try {
    const last = compaction.get(COMPACTED_AT) ?? 0;
    if (compaction.get(ERASED) === undefined || nowMs - last < OWNER_LIMITS.compactionMs) return false;
    rmSync(copy, { recursive: true, force: true });
    mkdirSync(copy, { mode: 0o700 });
    await copyEntries(root, copy);
    return true;
  } finally {
    await root.close();
  }
}

/** Copies the entries of every database of `root` into a new environment at `path`. */
async function copyEntries(root: Root, path: string): Promise<void> {
  const copy = openRoot(path).root;
  const raw = { encoding: 'binary', keyEncoding: 'binary' } as const;
  try {
    // The unnamed database holds the names of the others.
    for (const name of [...root.getKeys()].map(String)) {
      const from = root.openDB<Uint8Array, Buffer>(name, raw);
      const to = copy.openDB<Uint8Array, Buffer>(name, raw);
      const entries = from.getRange()[Symbol.iterator]();
      let next = entries.next();
      while (next.done !== true) {
        copy.transactionSync(() => {
          for (let bytes = 0; bytes < COPIED_AT_ONCE && next.done !== true; next = entries.next()) {
            const { key, value } = next.value;
            to.putSync(key, value, { append: true });
            bytes += key.length + value.length;
          }
        });
        await nextTurn();
      }
    }
  } finally {
    await copy.close();
  }
}

/** Bytes of one transaction of the copy: between two the process does other work, such as its beat. */
const COPIED_AT_ONCE = 4 * 1024 * 1024;

/** Writes into the copy: if a crash prevents replacing the file, the old one still asks for a compaction. */
async function noteCompaction(path: string, nowMs: number): Promise<void> {
  const { root, compaction } = openRoot(path);
  void compaction.remove(ERASED);
  await compaction.put(COMPACTED_AT, nowMs);
  await root.close();
  const file = openSync(join(path, FILE), 'r+');
  fsyncSync(file);
  closeSync(file);
}

const FILE = 'data.mdb';
/** `erased` is set while free pages may hold data of an erased player; `compactedAt` is epoch milliseconds. */
const ERASED = 'erased';
const COMPACTED_AT = 'compactedAt';

type Root = ReturnType<typeof openRoot>['root'];

function openRoot(path: string) {
  const maxDbs = DATABASES_PER_PARTITION * MAX_PARTITIONS + 1;
  // With batches per turn of the event loop, lmdb drops a promise that a failed commit rejects: the process would end.
  const root = open({ path, maxDbs, encoding: 'binary', cache: false, eventTurnBatching: false });
  return { root, compaction: root.openDB<number, string>('compaction', { encoding: 'json' }) };
}

/** Rejects with the cause of a failed commit, e.g. a full disk; nothing of the transaction is stored then. */
async function transact(root: Root, action: () => void): Promise<void> {
  try {
    await root.transaction(action);
  } catch (error) {
    // lmdb rejects with a general error. Its `commitError` is a promise that rejects with the cause.
    if (error instanceof Error && 'commitError' in error) await error.commitError;
    throw error;
  }
}

interface Databases {
  compaction: Database<number, string>;
  transact: (action: () => void) => Promise<void>;
  entities: Database<Uint8Array, string>;
  /** `[dueAt, id]`. */
  due: Database<Uint8Array, [number, string]>;
  /** `[dirtySince, id]`. */
  dirty: Database<Uint8Array, [number, string]>;
  /** The mark, and the numbers of players. */
  meta: Database<StoreMark | StoredNumbers, string>;
}

const NOTHING = new Uint8Array(0);
const MARK = 'mark';
const PLAYERS = 'players';
/** Players by tenant. */
interface StoredNumbers {
  players: [string, number][];
}

function createStore({ transact, entities, due, dirty, meta, compaction }: Databases): PartitionStore {
  let counts: Map<string, number> | undefined;

  function players(): Map<string, number> {
    counts ??= readOrFault('the number of players', readCounts);
    return counts;
  }

  function readCounts(): Map<string, number> {
    const stored = meta.get(PLAYERS);
    return new Map(stored !== undefined && 'players' in stored ? stored.players : []);
  }

  /** Whether the numbers of players changed. */
  function put(stored: WrittenEntity): boolean {
    const { id } = stored.state;
    const dueNow = dueAt(stored.state) ?? 0;
    const old = entities.getBinaryFast(id);
    const head = old === undefined ? undefined : headOfRow(old);
    const was = old === undefined ? { dueAt: 0, dirtySince: 0 } : readHeader(old);
    const changed = recount(players(), head, stored.state);
    if (stored.state.kind === 'erased' && head !== undefined && head.kind !== 'erased') void compaction.put(ERASED, 1);
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
      return mark === undefined || 'players' in mark ? undefined : mark;
    },
    get(entityId) {
      const row = entities.getBinary(entityId);
      return row === undefined ? undefined : readRow(entityId, row);
    },
    async write(batch: StoreBatch) {
      try {
        await transact(() => {
          let changed = false;
          for (const entity of batch.entities) changed = put(entity) || changed;
          if (changed) void meta.put(PLAYERS, { players: [...players()] });
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
    head(entityId) {
      const row = entities.getBinaryFast(entityId);
      return row === undefined ? undefined : headOfRow(row);
    },
    forConditions(entityId, isWanted) {
      const row = entities.getBinaryFast(entityId);
      if (row === undefined || !isWanted(headOfRow(row))) return undefined;
      return readOrFault('a row', () => conditionsState(row.subarray(HEADER_BYTES)));
    },
    *all() {
      for (const { key, value } of entities.getRange()) yield readRow(key, value);
    },
    count: () => entryCount(entities.getStats()),
    players,
    async clear() {
      await transact(() => {
        for (const database of [entities, due, dirty, meta]) database.clearSync();
      });
      counts = undefined;
    },
  };
}

/** `getCount` of lmdb walks over all keys: 66 ms for 1,000,000. The tree's own figure takes 0.05 ms. */
function entryCount(stats: object): number {
  if ('entryCount' in stats && typeof stats.entryCount === 'number') return stats.entryCount;
  throw new Error('lmdb gave no number of entries');
}

/** A row: three little-endian doubles (due time or 0, dirtySince, snapshotSeq), then the encoded state. */
const HEADER_BYTES = 24;

function writeRow(written: WrittenEntity, dueNow: number): Uint8Array {
  const { dirtySince, snapshotSeq } = written;
  const body = written.encoded ?? encodeState(written.state);
  const row = Buffer.allocUnsafe(HEADER_BYTES + body.length);
  row.writeDoubleLE(dueNow, 0);
  row.writeDoubleLE(dirtySince, 8);
  row.writeDoubleLE(snapshotSeq, 16);
  row.set(body, HEADER_BYTES);
  return row;
}

function readHeader(row: Buffer): { dueAt: number; dirtySince: number; snapshotSeq: number } {
  if (row.length < HEADER_BYTES) throw new StoreFaultError('a row of the local store has no whole header');
  return { dueAt: row.readDoubleLE(0), dirtySince: row.readDoubleLE(8), snapshotSeq: row.readDoubleLE(16) };
}

function headOfRow(row: Uint8Array): StateHead {
  return readOrFault('a row', () => headOfState(row.subarray(HEADER_BYTES)));
}

function readRow(entityId: string, bytes: Uint8Array): StoredEntity {
  const row = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { dirtySince, snapshotSeq } = readHeader(row);
  const state = decodeState(row.subarray(HEADER_BYTES));
  if (state.id !== entityId) throw new Error('the row holds another entity');
  return { state, dirtySince, snapshotSeq };
}
