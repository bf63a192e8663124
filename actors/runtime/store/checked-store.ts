import type { PartitionStore } from './store.ts';

/** The local store cannot be written, for example because its disk is full. Its content may be sound. */
export class StoreWriteError extends Error {}

/** The same store, with failed writes as `StoreWriteError`: an owner must tell them from faulty content. */
export function checkedStore(store: PartitionStore): PartitionStore {
  async function checked(write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (cause) {
      throw new StoreWriteError(`the local store cannot be written: ${String(cause)}`, { cause });
    }
  }
  return {
    ...store,
    write: (batch) => checked(() => store.write(batch)),
    clear: () => checked(() => store.clear()),
  };
}
