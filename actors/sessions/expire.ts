import type { PlayerState } from '../vocabulary/state.ts';
import { sessionClosed, unseenEnd } from './close.ts';
import type { OpenSession } from '../vocabulary/player.ts';
import type { SessionClosed } from '../vocabulary/session-facts.ts';

/** When a session expires if no call comes, epoch milliseconds. From then on it is closed to every call. */
function expiresAt({ lastCallAt, ttlMs }: OpenSession): number {
  return lastCallAt + ttlMs;
}

/** When the next of a player's sessions expires, epoch milliseconds; `null`: none is open. */
export function sessionsDueAt({ sessions }: PlayerState): number | null {
  let dueAt: number | null = null;
  for (const session of sessions) {
    const at = expiresAt(session);
    if (dueAt === null || at < dueAt) dueAt = at;
  }
  return dueAt;
}

/** The ends of the sessions that expire at `dueAt`: closed then, however late that is noticed. */
export function sessionsDue(state: PlayerState, dueAt: number): SessionClosed[] {
  return state.sessions
    .filter((session) => expiresAt(session) === dueAt)
    .map((session) => sessionClosed(state, session, 'expired', dueAt, unseenEnd(session)));
}
