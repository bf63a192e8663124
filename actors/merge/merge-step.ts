import type { Reply } from '../../core/vocabulary/commands/replies.ts';
import type { EntityState } from '../../core/vocabulary/state/state.ts';
import type { SessionClosed } from '../../core/vocabulary/facts/session-facts.ts';
import { inferredEnd, sessionClosed } from '../sessions/close.ts';
import { SESSION_LIMITS } from '../sessions/limits.ts';
import type { Context, Decision, Draft, Step } from '../decision/decision.ts';
import { testPlayersCounted, testPlayersIn } from '../player/patch.ts';

/**
 * Emits the facts of a step of a merge, and the number of test players after it. A merge adds none to the game, so it
 * is never refused for them.
 */
export function mergeStep<C extends { playerId: string }>(
  decide: (state: EntityState | undefined, body: C, context: Context, draft: Draft) => Decision,
) {
  return (body: C, { draft, context }: Step): Reply => {
    const before = draft.get(body.playerId);
    const { facts, reply } = decide(before, body, context, draft);
    for (const fact of facts) draft.emit(fact);
    for (const closed of surplusSessions(draft.get(body.playerId), context)) draft.emit(closed);
    const added = testers(draft.get(body.playerId)) - testers(before);
    if (added !== 0) draft.emit(testPlayersCounted(testPlayersIn(draft, context) + added, context));
    return reply;
  };
}

/** The oldest open sessions, if two players together have too many. */
function surplusSessions(state: EntityState | undefined, { at }: Context): SessionClosed[] {
  if (state?.kind !== 'player') return [];
  const surplus = Math.max(0, state.sessions.length - SESSION_LIMITS.openSessions);
  return state.sessions
    .slice(0, surplus)
    .map((session) => sessionClosed(state, session, 'replaced', at, inferredEnd(session)));
}

function testers(state: EntityState | undefined): number {
  return state?.kind === 'player' && state.isTestPlayer ? 1 : 0;
}
