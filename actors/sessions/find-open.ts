import { failure, type Failure } from '../../src/kernel/errors.ts';
import type { PlayerState } from '../vocabulary/state.ts';
import type { OpenSession } from '../vocabulary/player.ts';

/** A player's open session. One whose time is over was closed before the call is decided (`catchUp`), however late that is. */
export function findOpen({ sessions }: PlayerState, sessionId: string): OpenSession | undefined {
  return sessions.find((session) => session.sessionId === sessionId);
}

/** The failure of a call in a session that is not open. */
export function sessionNotFound(sessionId: string): Failure {
  const suggestion = 'Open a session with init, then send what was not accepted in that one.';
  return failure('SESSION_NOT_FOUND', undefined, { session_id: sessionId, suggestion });
}
