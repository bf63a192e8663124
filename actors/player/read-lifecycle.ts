import { failure } from '../../core/kernel/errors.ts';
import type { Reply } from '../../core/vocabulary/commands/replies.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';

/** Reads a player's lifecycle stage. Fails with PLAYER_NOT_FOUND. */
export function readLifecycle(state: PlayerState | undefined): Reply {
  if (state === undefined) return failure('PLAYER_NOT_FOUND');
  return {
    kind: 'lifecycle',
    playerId: state.id,
    stage: state.lifecycleStage,
    changedAt: state.lifecycleChangedAt,
    firstSeenAt: state.firstSeenAt,
    lastSeenAt: state.lastSeenAt,
    sessionCount: state.sessionCount,
    totalPlaytimeSeconds: state.totalPlaytimeSeconds,
  };
}
