import { STATE_LIMITS } from '../../core/vocabulary/limits.ts';
import { append } from '../../core/kernel/flow/bounded.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import { played } from './activity.ts';
import { knownOf } from '../../core/vocabulary/state/device.ts';
import type { OpenSession, SeenFlag } from '../../core/vocabulary/state/player.ts';
import type {
  SessionClosed,
  SessionFlagsReported,
  SessionOpened,
  SessionRecorded,
  SessionSynced,
} from '../../core/vocabulary/facts/session-facts.ts';

/** A session counts when it opens. */
export function opened(state: PlayerState, fact: SessionOpened): PlayerState {
  // An init without a device continues on the one before.
  const device = fact.device ?? state.device;
  const session: OpenSession = {
    ...knownOf(device),
    sessionId: fact.sessionId,
    openedAt: fact.at,
    lastCallAt: fact.at,
    flagKeys: fact.flagKeys,
    ttlMs: fact.ttlMs,
    flags: [],
    eventCount: 0,
    achievements: [],
    interventionsShown: 0,
    interventionsClicked: 0,
  };
  return {
    ...state,
    sessions: [...state.sessions, session],
    sessionCount: state.sessionCount + 1,
    sessionsInStage: state.sessionsInStage + 1,
    activity: played(state.activity, fact.at, 1, 0),
    device,
    lastSeenAt: Math.max(state.lastSeenAt, fact.at),
  };
}

export function synced(state: PlayerState, fact: SessionSynced): PlayerState {
  return {
    ...state,
    sessions: changed(state.sessions, fact.sessionId, (session) => added(session, fact)),
    lastSeenAt: Math.max(state.lastSeenAt, fact.at),
  };
}

export function flagsReported(state: PlayerState, { sessionId, flags }: SessionFlagsReported): PlayerState {
  const sessions = changed(state.sessions, sessionId, (session) => ({
    ...session,
    flags: merged(session.flags, flags),
  }));
  return { ...state, sessions };
}

/** Playtime counts when a session closes. An end by the client is activity, an expiry is not. */
export function closed(state: PlayerState, fact: SessionClosed): PlayerState {
  return {
    ...state,
    sessions: state.sessions.filter(({ sessionId }) => sessionId !== fact.sessionId),
    totalPlaytimeSeconds: state.totalPlaytimeSeconds + fact.durationSeconds,
    activity: played(state.activity, fact.at, 0, fact.durationSeconds),
    lastSeenAt: fact.reason === 'ended' ? Math.max(state.lastSeenAt, fact.at) : state.lastSeenAt,
  };
}

/** A recorded session counts on the day it is received. */
export function sessionRecorded(state: PlayerState, fact: SessionRecorded): PlayerState {
  const sessionCount = state.sessionCount + 1;
  const totalPlaytimeSeconds = state.totalPlaytimeSeconds + fact.durationSeconds;
  const recorded = { digest: fact.digest, sessionCount, totalPlaytimeSeconds };
  return {
    ...state,
    sessionCount,
    sessionsInStage: state.sessionsInStage + 1,
    totalPlaytimeSeconds,
    activity: played(state.activity, fact.at, 1, fact.durationSeconds),
    recordedSessions: append(state.recordedSessions, recorded, STATE_LIMITS.recordedSessions),
    lastSeenAt: Math.max(state.lastSeenAt, fact.at),
  };
}

function changed(
  sessions: readonly OpenSession[],
  sessionId: string,
  change: (session: OpenSession) => OpenSession,
): OpenSession[] {
  return sessions.map((session) => (session.sessionId === sessionId ? change(session) : session));
}

function added(session: OpenSession, fact: SessionSynced): OpenSession {
  return {
    ...session,
    // Gateways' clocks differ: a later call may have an earlier time.
    lastCallAt: Math.max(session.lastCallAt, fact.at),
    eventCount: session.eventCount + fact.eventCount,
    achievements:
      fact.achievements.length === 0 ? session.achievements : session.achievements.concat(fact.achievements),
    interventionsShown: session.interventionsShown + fact.interventionsShown,
    interventionsClicked: session.interventionsClicked + fact.interventionsClicked,
  };
}

/** Replaces changed flags in place and appends new ones: the order stays that of the next evaluation. */
function merged(before: readonly SeenFlag[], flags: readonly SeenFlag[]): readonly SeenFlag[] {
  if (before.length === 0) return flags;
  const changes = new Map(flags.map((flag) => [flag.flagKey, flag]));
  const kept = before.map((flag) => {
    const later = changes.get(flag.flagKey);
    changes.delete(flag.flagKey);
    return later ?? flag;
  });
  return [...kept, ...changes.values()];
}
