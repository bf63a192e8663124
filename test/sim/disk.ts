import { createMemoryStores } from '../../actors/runtime/store/store-memory.ts';
import type { PartitionStore, StoreBatch, Stores } from '../../actors/runtime/store/store.ts';

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
  hasBrokenMark: boolean;
}

export function createDisk(): Disk {
  const held = new Map<number, Held>();
  const newStore = (): PartitionStore => createMemoryStores().partition(0);

  function holdOf(partition: number): Held {
    const known = held.get(partition);
    if (known !== undefined) return known;
    const made: Held = { store: newStore(), before: newStore(), last: [], hasBrokenMark: false };
    held.set(partition, made);
    return made;
  }

  function accept(): void {
    if (disk.refuses) throw new Error('no space left on device');
  }

  function faultyStore(partition: number): PartitionStore {
    const hold = holdOf(partition);
    return {
      mark: () => hold.store.mark(),
      get: (entityId) => hold.store.get(entityId),
      async write(batch) {
        accept();
        await hold.store.write(batch);
        hold.hasBrokenMark = false;
        hold.last.push(batch);
        const oldest = hold.last.length > UNDONE_WRITES ? hold.last.shift() : undefined;
        if (oldest !== undefined) await hold.before.write(oldest);
      },
      due: (nowMs, most) => hold.store.due(nowMs, most),
      nextDue: () => hold.store.nextDue(),
      dirty: () => hold.store.dirty(),
      idsAfter: (entityId, most) => hold.store.idsAfter(entityId, most),
      all: () => hold.store.all(),
      count: () => hold.store.count(),
      players: () => hold.store.players(),
      async clear() {
        accept();
        await Promise.all([hold.store.clear(), hold.before.clear()]);
        hold.last = [];
        hold.hasBrokenMark = false;
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
