import type { Reply } from '../../core/vocabulary/commands/replies.ts';
import type { EntityState } from '../../core/vocabulary/state/state.ts';
import type { Context, Decision, Step } from '../decision/decision.ts';
import { testPlayersCounted, testPlayersIn } from '../player/patch.ts';

/**
 * Emits the facts of a step of a merge, and the number of test players after it. A merge adds none to the game, so it
 * is never refused for them.
 */
export function mergeStep<C extends { playerId: string }>(
  decide: (state: EntityState | undefined, body: C, context: Context) => Decision,
) {
  return (body: C, { draft, context }: Step): Reply => {
    const before = draft.get(body.playerId);
    const { facts, reply } = decide(before, body, context);
    for (const fact of facts) draft.emit(fact);
    const added = testers(draft.get(body.playerId)) - testers(before);
    if (added !== 0) draft.emit(testPlayersCounted(testPlayersIn(draft, context) + added, context));
    return reply;
  };
}

function testers(state: EntityState | undefined): number {
  return state?.kind === 'player' && state.isTestPlayer ? 1 : 0;
}
