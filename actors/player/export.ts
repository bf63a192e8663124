import { failure } from '../../src/kernel/errors.ts';
import type { Reply } from '../vocabulary/replies.ts';
import type { PlayerState } from '../vocabulary/state.ts';

/** Everything held of a player in live state. */
export function exportPlayer(state: PlayerState | undefined): Reply {
  if (state === undefined) return failure('PLAYER_NOT_FOUND');
  return { kind: 'exported', player: { ...state, keys: state.keys.map(({ key, at }) => ({ key, at })) } };
}
