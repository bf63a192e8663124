import { failure } from '../../core/kernel/errors.ts';
import type { Reply } from '../../core/vocabulary/commands/replies.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';

/**
 * All data of a player in live state. Of Idempotency-Keys it contains keys and times, not the stored replies. Events
 * whose id is stored as a hash are absent: the rows of events hold them.
 */
export function exportPlayer(state: PlayerState | undefined): Reply {
  if (state === undefined) return failure('PLAYER_NOT_FOUND');
  const { olderEvents: _, keys, ...player } = state;
  return { kind: 'exported', player: { ...player, keys: keys.map(({ key, at }) => ({ key, at })) } };
}
