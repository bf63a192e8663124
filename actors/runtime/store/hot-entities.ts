import type { StoredEntity } from './store.ts';

export interface HotEntity extends StoredEntity {
  /** Rough bytes in memory. */
  sizeBytes: number;
  /** Used since the last `trim` that reached it. */
  used: boolean;
  /** Only work in bulk uses it: it leaves memory once the store holds it. */
  isBulk: boolean;
  /** The delay of the newest snapshot since the entity is in memory, and its monotonic time; 0: none. */
  lastDelayMs: number;
  snapshotAtMs: number;
}

/** Rough bytes of entities, and of those that only work in bulk uses. */
interface SomeBytes {
  all: number;
  bulk: number;
}

/** The entities of a partition in memory. One that the store does not hold yet stays until it is written. */
export interface HotEntities {
  readonly count: number;
  /** Of those that the store does not hold yet, so that they cannot be evicted. */
  readonly pinnedBytes: SomeBytes;
  /** Whether entities wait for `beginWrite`. */
  readonly isWaiting: boolean;
  get(entityId: string): HotEntity | undefined;
  /** Adds an entity as the store holds it. */
  add(entityId: string, entity: HotEntity): void;
  /** Adds or replaces an entity that the store does not hold yet. */
  change(entityId: string, entity: HotEntity): void;
  /** Evicts the least recently used entities beyond the byte budget. */
  trim(): void;
  /** The entities that the store does not hold yet. `endWrite` follows. */
  beginWrite(): HotEntity[];
  /** The store holds these. What work in bulk changed, and nothing has changed or used since, leaves memory. */
  written(batch: readonly HotEntity[]): void;
  /** Those that were not written wait again. */
  endWrite(): void;
}

/** @param mostBytes rough bytes of entities to keep in memory */
export function createHotEntities(mostBytes: number): HotEntities {
  /**
   * In the order of eviction. `trim` moves an entity that was used since to the end (second chance). Moving it at each
   * use would cost two more map operations for every event.
   */
  const hot = new Map<string, HotEntity>();
  let totalBytes = 0;
  /** Those that the store does not hold yet: all but those being written, and those. */
  let waiting = new Set<string>();
  let writing = new Set<string>();
  let waitingBytes = NO_BYTES;
  let writingBytes = NO_BYTES;

  function wait(entityId: string, entity: HotEntity): void {
    if (waiting.has(entityId)) return;
    waiting.add(entityId);
    waitingBytes = withEntity(waitingBytes, entity);
  }

  return {
    get count() {
      return hot.size;
    },
    get pinnedBytes() {
      return { all: waitingBytes.all + writingBytes.all, bulk: waitingBytes.bulk + writingBytes.bulk };
    },
    get isWaiting() {
      return waiting.size > 0;
    },
    get: (entityId) => hot.get(entityId),
    add(entityId, entity) {
      hot.set(entityId, entity);
      totalBytes += entity.sizeBytes;
    },
    change(entityId, entity) {
      totalBytes += entity.sizeBytes - (hot.get(entityId)?.sizeBytes ?? 0);
      hot.set(entityId, entity);
      wait(entityId, entity);
    },
    trim() {
      if (totalBytes <= mostBytes) return;
      for (const [entityId, entity] of hot) {
        if (waiting.has(entityId) || writing.has(entityId)) continue;
        hot.delete(entityId);
        if (entity.used) {
          entity.used = false;
          hot.set(entityId, entity);
          continue;
        }
        totalBytes -= entity.sizeBytes;
        if (totalBytes <= mostBytes) return;
      }
    },
    beginWrite() {
      const batch: HotEntity[] = [];
      for (const entityId of waiting) {
        const entity = hot.get(entityId);
        if (entity !== undefined) batch.push(entity);
      }
      writing = waiting;
      writingBytes = waitingBytes;
      waiting = new Set();
      waitingBytes = NO_BYTES;
      return batch;
    },
    written(batch) {
      for (const entity of batch) {
        const { id } = entity.state;
        if (writing.delete(id)) writingBytes = withEntity(writingBytes, entity, -1);
        if (!entity.isBulk || hot.get(id) !== entity || waiting.has(id)) continue;
        hot.delete(id);
        totalBytes -= entity.sizeBytes;
      }
    },
    endWrite() {
      for (const entityId of writing) {
        const entity = hot.get(entityId);
        if (entity !== undefined) wait(entityId, entity);
      }
      writing = new Set();
      writingBytes = NO_BYTES;
    },
  };
}

const NO_BYTES: SomeBytes = { all: 0, bulk: 0 };

const withEntity = ({ all, bulk }: SomeBytes, { sizeBytes, isBulk }: HotEntity, sign = 1): SomeBytes => ({
  all: Math.max(0, all + sign * sizeBytes),
  bulk: Math.max(0, bulk + (isBulk ? sign * sizeBytes : 0)),
});
