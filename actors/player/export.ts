import { failure } from '../../src/kernel/errors.ts';
import type { Reply } from '../vocabulary/replies.ts';
import type { PlayerState } from '../vocabulary/state.ts';

/** All data of a player in live state. Of Idempotency-Keys it contains keys and times, not the stored replies. */
export function exportPlayer(state: PlayerState | undefined): Reply {
  if (state === undefined) return failure('PLAYER_NOT_FOUND');
  return { kind: 'exported', player: { ...state, keys: state.keys.map(({ key, at }) => ({ key, at })) } };
}
