import type { EntityState } from '../state.ts';

/** An entity as the local store keeps it. */
export interface StoredEntity {
  state: EntityState;
  /** FACTS sequence of the oldest change that is in no snapshot yet; 0 when the newest snapshot holds everything. */
  dirtySince: number;
  /** `lastSeq` of the newest snapshot; 0 when there never was one. */
  snapshotSeq: number;
}

/** What one transaction of the store changes. */
export interface StoreBatch {
  entities: readonly StoredEntity[];
  /** The FACTS sequence up to which the store now holds everything. */
  appliedSeq: number;
  /** The creation of the FACTS stream the sequence belongs to. */
  factsCreated: string;
}

export interface StoreMark {
  appliedSeq: number;
  factsCreated: string;
}

/**
 * The local store of one partition: a cache of the log, on the disk of the node that owns the partition. Reads are
 * synchronous (memory-mapped); a write is one transaction. Losing it costs a longer take-over and nothing else.
 */
export interface PartitionStore {
  /** How far it holds; `undefined` when it is empty. */
  mark(): StoreMark | undefined;
  get(entityId: string): StoredEntity | undefined;
  /** Writes atomically: entities with their due times, and the mark. Resolves when readable after a crash of the process. */
  write(batch: StoreBatch): Promise<void>;
  /** Ids whose due time is at or before `nowMs`, earliest first. */
  due(nowMs: number, most: number): string[];
  /** The earliest due time held, epoch milliseconds. */
  nextDue(): number | undefined;
  /** Every entity that is in no snapshot with all its changes, by `dirtySince`. */
  dirty(): Iterable<{ entityId: string; dirtySince: number; snapshotSeq: number }>;
  /** Every entity. For checks and exports, not for the path of a request. */
  all(): Iterable<StoredEntity>;
  /** Number of entities. */
  count(): number;
  /** Forgets everything. */
  clear(): Promise<void>;
}

/** Stores of one process, by partition. */
export interface Stores {
  partition(partition: number): PartitionStore;
  close(): Promise<void>;
}
