import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import type { PlayerTimes } from '../../core/vocabulary/state/state-outline.ts';
import { sessionClosed, inferredEnd } from './close.ts';
import type { OpenSession } from '../../core/vocabulary/state/player.ts';
import type { SessionClosed } from '../../core/vocabulary/facts/session-facts.ts';

/** When the session expires without another call, epoch milliseconds. From then on every call fails. */
function expiresAt({ lastCallAt, ttlMs }: Pick<OpenSession, 'lastCallAt' | 'ttlMs'>): number {
  return lastCallAt + ttlMs;
}

/** When the player's next session expires, epoch milliseconds; `null`: none is open. */
export function sessionsDueAt({ sessions }: Pick<PlayerTimes, 'sessions'>): number | null {
  let dueAt: number | null = null;
  for (const session of sessions) {
    const at = expiresAt(session);
    if (dueAt === null || at < dueAt) dueAt = at;
  }
  return dueAt;
}

/** Closes the sessions that expire at `dueAt`, as of that time, however late the timer runs. */
export function sessionsDue(state: PlayerState, dueAt: number): SessionClosed[] {
  return state.sessions
    .filter((session) => expiresAt(session) === dueAt)
    .map((session) => sessionClosed(state, session, 'expired', dueAt, inferredEnd(session)));
}
