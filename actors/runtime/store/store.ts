import type { EntityState } from '../../vocabulary/state.ts';
import type { PlayerCounts } from '../player-counts.ts';

/** An entity as the local store keeps it. */
export interface StoredEntity {
  state: EntityState;
  /** FACTS sequence of the oldest change that is in no snapshot yet; 0 when the newest snapshot holds everything. */
  dirtySince: number;
  /** `lastSeq` of the newest snapshot; 0 when there never was one. */
  snapshotSeq: number;
}

/** How far a store holds the log. */
export interface StoreMark {
  /** The FACTS sequence up to which it holds everything. */
  appliedSeq: number;
  /** Single entities may be ahead of that, up to this sequence; left out when none is. */
  aheadTo?: number;
  /** The creation of the FACTS stream the sequences belong to. */
  factsCreated: string;
}

/** What one transaction of the store changes. */
export interface StoreBatch {
  entities: readonly StoredEntity[];
  mark: StoreMark;
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
  /** The next ids after `entityId` in the order of the store's keys, from the first when it is left out. */
  idsAfter(entityId: string | undefined, most: number): string[];
  /** Every entity. For checks and exports, not for the path of a request. */
  all(): Iterable<StoredEntity>;
  /** Number of entities. */
  count(): number;
  /** Number of players, by tenant. Of a store from before they were kept, those counted so far. */
  players(): PlayerCounts;
  /** Forgets everything. */
  clear(): Promise<void>;
}

/** Stores of one process, by partition. */
export interface Stores {
  partition(partition: number): PartitionStore;
  close(): Promise<void>;
}
