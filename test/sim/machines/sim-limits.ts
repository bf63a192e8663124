import { LIMITS, type Limits } from '../../../core/kernel/limits.ts';

/**
 * The bounds of the simulated service. They shorten minutes to seconds, so that a short run reaches snapshots, marks,
 * trimming and the caps of players.
 */
export const SIM_LIMITS = {
  ...LIMITS,
  snapshotIntervalMs: 4_000,
  longestSnapshotIntervalMs: 16_000,
  firstSnapshotMs: 1_000,
  trimMs: 3_000,
  // Snapshots are used for short logs too.
  rebuildReplayBytes: 4_000,
  rebuildEntityBytes: 100,
  recentEvents: 4,
  eventBlock: 8,
  matcherPositionMs: 300,
  segmentJitterMs: 2_000,
  eraseCheckMs: 2_000,
  eraseAgainMs: 200,
  interventionsPerDay: 6,
  interventionsPerPlayer: 4,
  interventionOffers: 2,
  servedChanges: 4,
  // A sink often falls behind the shared reader.
  sharedReaderRecords: 16,
  sharedReaderNear: 8,
  aloneMs: 200,
  // A fill takes several records, between which its owner may fall.
  fillPlayers: 1,
} as const satisfies Limits;

/** An owner may refuse commands for this long after FACTS has room again: until it has read the size again. */
export const ROOM_SEEN_MS = 2 * SIM_LIMITS.factsPollMs;
