/**
 * Reads a partition's snapshots from ClickHouse, for a take-over without a usable local store. Every method rejects
 * when ClickHouse cannot be read; the take-over is then tried again.
 */
export interface SnapshotSource {
  /** The record of FACTS up to which ClickHouse notes that it holds FACTS, and the creation of that FACTS. */
  confirmedTo(): Promise<{ createdMs: number; sequence: number } | undefined>;
  /** The number of entities that `load` returns. */
  count(partition: number, changedSince: number): Promise<number>;
  /** The number of players of the partition that `load` returns from sequence 0, tombstones included. */
  countPlayers(partition: number): Promise<number>;
  /**
   * The newest snapshot of every entity of the partition, tombstones included, each as an encoded state. The source
   * reads the next rows when the caller asks for them, and ends the query when the caller stops early.
   * @param changedSince only entities whose newest snapshot has this `lastSeq` or a higher one
   */
  load(partition: number, changedSince: number): AsyncIterable<readonly Uint8Array[]>;
}
