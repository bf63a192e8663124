import { failure } from '../../src/kernel/errors.ts';
import type { Reply } from '../replies.ts';
import type { PlayerState } from '../state.ts';

/** Everything held of a player in live state. */
export function exportPlayer(state: PlayerState | undefined): Reply {
  if (state === undefined) return failure('PLAYER_NOT_FOUND');
  return { kind: 'exported', player: { ...state, keys: state.keys.map(({ key, at }) => ({ key, at })) } };
}
