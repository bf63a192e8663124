import { failure, type Failure } from '../../core/kernel/errors.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import type { OpenSession } from '../../core/vocabulary/state/player.ts';

/** Finds a player's open session. `catchUp` has closed expired sessions before the call is decided. */
export function findOpen({ sessions }: PlayerState, sessionId: string): OpenSession | undefined {
  return sessions.find((session) => session.sessionId === sessionId);
}

/** The failure of a call with a session that is not open. */
export function sessionNotFound(sessionId: string): Failure {
  const suggestion = 'Open a new session with init and resend the events that were not accepted.';
  return failure('SESSION_NOT_FOUND', undefined, { session_id: sessionId, suggestion });
}
