import { failure } from '../../core/kernel/errors.ts';
import type { PatchPlayer } from '../../core/vocabulary/commands/commands.ts';
import type { Context, Decision } from '../decision/decision.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import { changePlayer } from './change.ts';

/** Patches a player. Fails with PLAYER_NOT_FOUND, or VALIDATION_ERROR if the attributes would grow too large. */
export function patchPlayer(state: PlayerState | undefined, command: PatchPlayer, context: Context): Decision {
  if (state === undefined) return { facts: [], reply: failure('PLAYER_NOT_FOUND') };
  return changePlayer(state, command, context);
}
