import type { Adjustable } from '../../../core/kernel/adjustable.ts';
import { PLAYER_LIMITS } from '../../../actors/decision/limits.ts';
import { OWNER_LIMITS } from '../../../actors/runtime/limits.ts';
import { REBUILD_LIMITS } from '../../../actors/runtime/rebuild/limits.ts';
import { FACTS_LIMITS } from '../../../streams/facts/limits.ts';
import { LOG_LIMITS } from '../../../streams/log/limits.ts';
import { SINK_LIMITS } from '../../../streams/sinks/clickhouse/limits.ts';
import { MATCHING_LIMITS } from '../../../streams/sinks/webhooks/matching/limits.ts';
import { PROCESS_LIMITS } from '../../../src/process/limits.ts';
import type { World } from '../world.ts';

/**
 * The bounds of the simulated service. They shorten minutes to seconds, so that a short run reaches snapshots, marks,
 * trimming and the caps of players.
 */
export const SIM_LIMITS = {
  ...PLAYER_LIMITS,
  ...OWNER_LIMITS,
  ...REBUILD_LIMITS,
  ...FACTS_LIMITS,
  ...LOG_LIMITS,
  ...SINK_LIMITS,
  ...MATCHING_LIMITS,
  sinksGatherMs: PROCESS_LIMITS.sinksGatherMs,
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
  testPlayers: 1,
  // A sink often falls behind the shared reader.
  sharedReaderRecords: 16,
  sharedReaderNear: 8,
  // A fill takes several records, between which its owner may fall.
  fillPlayers: 1,
} as const;

export type SimLimits = Adjustable<typeof SIM_LIMITS>;

/** How long the longest election lasts. */
export const ELECTION_MS = 5_000;
/** An owner may refuse commands for this long after FACTS has room again: until it has read the size again. */
const ROOM_SEEN_MS = 2 * SIM_LIMITS.factsPollMs;

/** Whether FACTS may have lacked room between two times, as an owner knew: reads wait while FACTS has no leader. */
export function mayLackRoom(world: Pick<World, 'wasCaused'>, fromMs: number, toMs: number): boolean {
  const readMs = fromMs - ROOM_SEEN_MS;
  const waitsMs = world.wasCaused('away', readMs, toMs) ? ELECTION_MS : 0;
  return world.wasCaused('facts full', readMs - waitsMs, toMs);
}
