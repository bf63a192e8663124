import type { EntityState } from '../../vocabulary/state.ts';

/**
 * Where a partition's snapshots can be read back: ClickHouse. Used only to take over a partition without a local store
 * when FACTS no longer reaches back to its beginning.
 */
export interface SnapshotSource {
  /**
   * Calls `onState` with the newest snapshot of every entity of the partition, tombstones included. Rejects when the
   * source cannot be reached or read: the take-over is then tried again later.
   */
  load(partition: number, onState: (state: EntityState) => void): Promise<void>;
}
