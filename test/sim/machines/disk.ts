import { createMemoryStores } from '../../../actors/runtime/store/store-memory.ts';
import type { PartitionStore, StoreBatch, Stores } from '../../../actors/runtime/store/store.ts';

/** A machine's disk: its local stores, which outlive its processes, and the disk's faults. */
export interface Disk {
  /** The stores as they are, without faults. */
  readonly stores: Stores;
  /** The stores as a process reads and writes them. */
  readonly faulty: Stores;
  /** True while every write fails, as on a full or a read-only disk. */
  refuses: boolean;
  /** Undoes the last writes of every store, as a power failure does before the operating system has written them. */
  loseLastWrites(count: number): Promise<void>;
  /** Makes some rows of a store unreadable until they are written again. Returns whether there were any. */
  breakRows(partition: number, pick: (ids: readonly string[]) => readonly string[]): boolean;
  /** Whether a store has a damaged mark that no process has found yet. */
  hasBrokenMark(partition: number): boolean;
  /** Damages a store's mark: it names a record far beyond the end of the log. Returns whether there was a mark. */
  breakMark(partition: number): Promise<boolean>;
}

/** The maximum number of writes that `loseLastWrites` undoes. */
export const UNDONE_WRITES = 6;
/** A damaged mark differs in one of its high bits. */
const DAMAGE = 2 ** 20;

interface Held {
  store: PartitionStore;
  /** The store before the writes in `last`. */
  before: PartitionStore;
  last: StoreBatch[];
  brokenRows: Set<string>;
  hasBrokenMark: boolean;
}

export function createDisk(): Disk {
  const held = new Map<number, Held>();
  const newStore = (): PartitionStore => createMemoryStores().partition(0);

  function holdOf(partition: number): Held {
    const known = held.get(partition);
    if (known !== undefined) return known;
    const made: Held = { store: newStore(), before: newStore(), last: [], brokenRows: new Set(), hasBrokenMark: false };
    held.set(partition, made);
    return made;
  }

  function accept(): void {
    if (disk.refuses) throw new Error('no space left on device');
  }

  function faultyStore(partition: number): PartitionStore {
    const hold = holdOf(partition);
    function readable(entityId: string): void {
      if (hold.brokenRows.has(entityId)) throw new Error(`the row of ${entityId} cannot be decoded`);
    }
    return {
      mark: () => hold.store.mark(),
      get(entityId) {
        readable(entityId);
        return hold.store.get(entityId);
      },
      async write(batch) {
        accept();
        await hold.store.write(batch);
        hold.hasBrokenMark = false;
        hold.last.push(batch);
        for (const { state } of batch.entities) hold.brokenRows.delete(state.id);
        const oldest = hold.last.length > UNDONE_WRITES ? hold.last.shift() : undefined;
        if (oldest !== undefined) await hold.before.write(oldest);
      },
      due: (nowMs, most) => hold.store.due(nowMs, most),
      nextDue: () => hold.store.nextDue(),
      dirty: () => hold.store.dirty(),
      idsAfter: (entityId, most) => hold.store.idsAfter(entityId, most),
      head: (entityId) => hold.store.head(entityId),
      forConditions: (entityId, isWanted) => hold.store.forConditions(entityId, isWanted),
      all() {
        for (const entityId of hold.brokenRows) readable(entityId);
        return hold.store.all();
      },
      count: () => hold.store.count(),
      players: () => hold.store.players(),
      async clear() {
        accept();
        await Promise.all([hold.store.clear(), hold.before.clear()]);
        hold.last = [];
        hold.hasBrokenMark = false;
        hold.brokenRows.clear();
      },
    };
  }

  const disk: Disk = {
    stores: { partition: (partition) => holdOf(partition).store, close: () => Promise.resolve() },
    faulty: { partition: faultyStore, close: () => Promise.resolve() },
    refuses: false,
    async loseLastWrites(count) {
      for (const hold of held.values()) {
        const kept = hold.last.slice(0, -count);
        hold.store = newStore();
        const mark = hold.before.mark();
        if (mark !== undefined) await hold.store.write({ entities: [...hold.before.all()], mark });
        for (const batch of kept) await hold.store.write(batch);
        hold.last = kept;
      }
    },
    breakRows(partition, pick) {
      const { store, brokenRows } = holdOf(partition);
      const ids = store.idsAfter(undefined, Infinity);
      if (ids.length === 0) return false;
      for (const id of pick(ids)) brokenRows.add(id);
      return true;
    },
    hasBrokenMark: (partition) => holdOf(partition).hasBrokenMark,
    async breakMark(partition) {
      const hold = holdOf(partition);
      const { store } = hold;
      const mark = store.mark();
      if (mark === undefined || mark.factsCreated === '') return false;
      await store.write({ entities: [], mark: { ...mark, appliedSeq: mark.appliedSeq + DAMAGE } });
      hold.hasBrokenMark = true;
      return true;
    },
  };
  return disk;
}
