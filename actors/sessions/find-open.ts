import { failure, type Failure } from '../../src/kernel/errors.ts';
import type { OpenSession, PlayerState } from '../state.ts';
import { expiresAt } from './expire.ts';

/** A player's session, if it is open to calls at `at` (epoch milliseconds): one past its time is not, closed yet or not. */
export function findOpen(state: PlayerState, sessionId: string, at: number): OpenSession | undefined {
  const session = state.sessions.find((one) => one.sessionId === sessionId);
  return session !== undefined && expiresAt(session) > at ? session : undefined;
}

/** The failure of a call in a session that is not open. */
export function sessionNotFound(sessionId: string): Failure {
  const suggestion = 'Open a session with init, then send what was not accepted in that one.';
  return failure('SESSION_NOT_FOUND', undefined, { session_id: sessionId, suggestion });
}
