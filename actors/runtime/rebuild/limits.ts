/** Bounds of the rebuild of a partition, and of following one that another process owns. */
export const REBUILD_LIMITS = {
  /** A follower this close to the end of FACTS is ready: its take-over then takes a fraction of a second. */
  followLagMs: 500,
  /** How often a ready follower reads the end of FACTS. */
  followMs: 500,

  /**
   * Snapshots that a cold take-over sorts at once, and their bytes. Two such gatherings are in memory at a time:
   * 80 MiB, and about 500 bytes for each of 50,000 outlines.
   */
  rebuildSortEntities: 25_000,
  rebuildSortBytes: 40 * 1024 * 1024,
  /** Of these, snapshots in one write, and their bytes. The event loop stands still for 20 ms to 50 ms. */
  rebuildBatchEntities: 2_000,
  rebuildBatchBytes: 4 * 1024 * 1024,
  /** How often a cold take-over reports its progress. */
  rebuildReportMs: 5_000,
  /**
   * Snapshots are loaded instead of replaying FACTS if they save more than `rebuildReplayBytes` of it (2 s) and
   * `rebuildEntityBytes` per snapshot: loading one takes as long as replaying this much.
   */
  rebuildReplayBytes: 64 * 1024 * 1024,
  rebuildEntityBytes: 2_000,
} as const;
