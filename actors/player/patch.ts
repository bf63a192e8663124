import { failure } from '../../src/kernel/errors.ts';
import type { PatchPlayer } from '../vocabulary/commands.ts';
import type { Context, Decision } from '../decision.ts';
import type { PlayerState } from '../vocabulary/state.ts';
import { changePlayer } from './change.ts';

/** Changes a player that exists. */
export function patchPlayer(state: PlayerState | undefined, command: PatchPlayer, context: Context): Decision {
  if (state === undefined) return { facts: [], reply: failure('PLAYER_NOT_FOUND') };
  return changePlayer(state, command, context);
}
