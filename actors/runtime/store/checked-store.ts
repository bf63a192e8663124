import type { PartitionStore } from './store.ts';

/** The local store cannot be written, for example because its disk is full. Its content may be sound. */
export class StoreWriteError extends Error {}

/**
 * The content of the local store cannot be read, or does not fit FACTS: other content may help. That includes rows that
 * seem to be of a newer version: damaged bytes look like that, and the store is only a cache.
 */
export class StoreFaultError extends Error {}

/** Runs a read of the store. A failure throws a `StoreFaultError`. */
export function readOrFault<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof StoreFaultError) throw cause;
    throw new StoreFaultError(`${what} of the local store cannot be read: ${String(cause)}`, { cause });
  }
}

/** The same store, with typed errors: an owner must tell failed writes from faulty content, and both from bugs. */
export function checkedStore(store: PartitionStore): PartitionStore {
  async function written(write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (cause) {
      if (cause instanceof StoreFaultError) throw cause;
      throw new StoreWriteError(`the local store cannot be written: ${String(cause)}`, { cause });
    }
  }
  return {
    mark: () => readOrFault('the mark', () => store.mark()),
    get: (entityId) => readOrFault('an entity', () => store.get(entityId)),
    write: (batch) => written(() => store.write(batch)),
    due: (nowMs, most) => readOrFault('the index of due times', () => store.due(nowMs, most)),
    nextDue: () => readOrFault('the index of due times', () => store.nextDue()),
    dirty: () => items('the index of snapshots', () => store.dirty()),
    idsAfter: (entityId, most) => readOrFault('the index of entities', () => store.idsAfter(entityId, most)),
    head: (entityId) => readOrFault('an entity', () => store.head(entityId)),
    forConditions: (entityId, isWanted) => readOrFault('an entity', () => store.forConditions(entityId, isWanted)),
    all: () => items('an entity', () => store.all()),
    count: () => readOrFault('the number of entities', () => store.count()),
    players: () => readOrFault('the number of players', () => store.players()),
    clear: () => written(() => store.clear()),
  };
}

function* items<T>(what: string, read: () => Iterable<T>): Iterable<T> {
  const iterator = readOrFault(what, () => read()[Symbol.iterator]());
  for (;;) {
    const next = readOrFault(what, () => iterator.next());
    if (next.done === true) return;
    yield next.value;
  }
}
