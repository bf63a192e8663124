import { type Draft, playerIn } from '../decision/decision.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import type { Scope } from '../../core/vocabulary/documents/scope.ts';
import type { Definitions } from '../decision/definitions.ts';

/** The dependencies of session commands. */
export interface SessionContext {
  definitions: Definitions;
  /** Emits the reactions to the facts so far, so that the reply includes them. */
  react: () => void;
}

/** The player's current state in the draft. Throws if the player does not exist. */
export function playerNow(draft: Draft, playerId: string, scope: Scope): PlayerState {
  const state = playerIn(scope, draft.get(playerId));
  if (state === undefined) throw new Error(`player ${playerId} is gone from its own draft`);
  return state;
}
