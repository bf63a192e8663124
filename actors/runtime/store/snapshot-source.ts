import type { EntityState } from '../../vocabulary/state.ts';

/**
 * Reads a partition's snapshots back from ClickHouse. Used only to take over a partition without a local store after
 * FACTS was trimmed.
 */
export interface SnapshotSource {
  /**
   * Calls `onState` with the newest snapshot of every entity of the partition, tombstones included. Rejects when the
   * source cannot be read; the take-over is then tried again.
   */
  load(partition: number, onState: (state: EntityState) => void): Promise<void>;
}
