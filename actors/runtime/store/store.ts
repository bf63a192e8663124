import type { EntityState } from '../../../core/vocabulary/state/state.ts';
import type { StateHead, StateOutline } from '../../../core/vocabulary/state/state-outline.ts';
import type { PlayerCounts } from './player-counts.ts';

/** An entity as the local store holds it. */
export interface StoredEntity {
  state: EntityState;
  /** FACTS sequence of the oldest change that no snapshot holds; 0 when the newest snapshot holds every change. */
  dirtySince: number;
  /** `lastSeq` of the newest snapshot; 0 when there never was one. */
  snapshotSeq: number;
}

/** An entity to write. With `encoded` the store writes these bytes and needs only an outline of the state. */
export type WrittenEntity = (StoredEntity & { encoded?: undefined }) | EncodedEntity;

export interface EncodedEntity extends Omit<StoredEntity, 'state'> {
  state: StateOutline;
  encoded: Uint8Array;
}

/** How far a store has applied the log. */
export interface StoreMark {
  /** The FACTS sequence up to which it holds every change. */
  appliedSeq: number;
  /** Entities may be ahead of `appliedSeq`, up to this sequence. Absent: none is. */
  aheadTo?: number;
  /** The creation of the FACTS stream the sequences belong to. */
  factsCreated: string;
}

/** What one transaction of the store changes. */
export interface StoreBatch {
  entities: readonly WrittenEntity[];
  mark: StoreMark;
}

/** An entity with changes that no snapshot holds: the sequence of the oldest, and of its newest snapshot (0: none). */
export interface DirtyEntity {
  entityId: string;
  dirtySince: number;
  snapshotSeq: number;
}

/**
 * The local store of one partition: a cache of the log on the disk of the owner's node. Reads are synchronous
 * (memory-mapped); a write is one transaction. Losing the store only makes the next take-over longer.
 */
export interface PartitionStore {
  /** `undefined` when the store is empty. */
  mark(): StoreMark | undefined;
  get(entityId: string): StoredEntity | undefined;
  /** Writes entities, their due times and the mark atomically. Resolves when a crash of the process cannot undo it. */
  write(batch: StoreBatch): Promise<void>;
  /** Ids whose due time is at or before `nowMs`, earliest first. */
  due(nowMs: number, most: number): string[];
  /** The earliest due time, epoch milliseconds. */
  nextDue(): number | undefined;
  /** Every entity with changes that no snapshot holds, by `dirtySince`. */
  dirty(): Iterable<DirtyEntity>;
  /** The next ids after `entityId` in the order of the store's keys; without it, the first ones. */
  idsAfter(entityId: string | undefined, most: number): string[];
  /** Kind and tenant of an entity, without decoding the rest. */
  head(entityId: string): StateHead | undefined;
  /** The entity if it is wanted by its head, as far as conditions read it (`conditionsState`). */
  forConditions(entityId: string, isWanted: (head: StateHead) => boolean): EntityState | undefined;
  /** Every entity. Too slow for the path of a request. */
  all(): Iterable<StoredEntity>;
  /** Number of entities. */
  count(): number;
  /** Number of players by tenant. */
  players(): PlayerCounts;
  /** Deletes everything. */
  clear(): Promise<void>;
}

/** Stores of one process, by partition. */
export interface Stores {
  partition(partition: number): PartitionStore;
  close(): Promise<void>;
}
