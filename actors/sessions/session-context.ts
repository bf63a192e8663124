import { type Draft, playerIn } from '../decision.ts';
import type { PlayerState } from '../vocabulary/state.ts';
import type { Scope } from '../vocabulary/scope.ts';
import type { Definitions } from '../definitions.ts';

/** What a call of a session needs beside the draft. */
export interface SessionContext {
  definitions: Definitions;
  /** Emits what follows from the facts so far, so that the reply shows it. */
  react: () => void;
}

/** The player as it is after what was emitted; to be asked only for one that is known to be there. */
export function playerNow(draft: Draft, playerId: string, scope: Scope): PlayerState {
  const state = playerIn(scope, draft.get(playerId));
  if (state === undefined) throw new Error(`player ${playerId} is gone from its own draft`);
  return state;
}
