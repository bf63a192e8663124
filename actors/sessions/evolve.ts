import { LIMITS } from '../../src/kernel/limits.ts';
import { append } from '../bounded.ts';
import type { SessionClosed, SessionOpened, SessionRecorded, SessionSynced } from '../facts.ts';
import type { OpenSession, PlayerState, SeenFlag } from '../state.ts';
import { played } from './activity.ts';

/** A session counts when it opens. */
export function opened(state: PlayerState, fact: SessionOpened): PlayerState {
  const session: OpenSession = {
    sessionId: fact.sessionId,
    openedAt: fact.at,
    lastCallAt: fact.at,
    flagKeys: fact.flagKeys,
    flags: fact.flags,
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
    device: fact.device ?? state.device,
    lastSeenAt: Math.max(state.lastSeenAt, fact.at),
  };
}

export function synced(state: PlayerState, fact: SessionSynced): PlayerState {
  return {
    ...state,
    sessions: state.sessions.map((session) => (session.sessionId === fact.sessionId ? added(session, fact) : session)),
    lastSeenAt: Math.max(state.lastSeenAt, fact.at),
  };
}

/** Playtime is added when a session closes. Its end is activity, its expiry is not. */
export function closed(state: PlayerState, fact: SessionClosed): PlayerState {
  return {
    ...state,
    sessions: state.sessions.filter(({ sessionId }) => sessionId !== fact.sessionId),
    totalPlaytimeSeconds: state.totalPlaytimeSeconds + fact.durationSeconds,
    activity: played(state.activity, fact.at, 0, fact.durationSeconds),
    lastSeenAt: fact.reason === 'ended' ? Math.max(state.lastSeenAt, fact.at) : state.lastSeenAt,
  };
}

/** A session recorded late counts on the day it is received. */
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
    recordedSessions: append(state.recordedSessions, recorded, LIMITS.recordedSessions),
    lastSeenAt: Math.max(state.lastSeenAt, fact.at),
  };
}

function added(session: OpenSession, fact: SessionSynced): OpenSession {
  return {
    ...session,
    lastCallAt: fact.at,
    flags: fact.flags.length === 0 ? session.flags : seen(session.flags, fact.flags),
    eventCount: session.eventCount + fact.eventCount,
    achievements: [...session.achievements, ...fact.achievements],
    interventionsShown: session.interventionsShown + fact.interventionsShown,
    interventionsClicked: session.interventionsClicked + fact.interventionsClicked,
  };
}

function seen(before: readonly SeenFlag[], changed: readonly SeenFlag[]): SeenFlag[] {
  const keys = new Set(changed.map(({ flagKey }) => flagKey));
  return [...before.filter(({ flagKey }) => !keys.has(flagKey)), ...changed];
}
