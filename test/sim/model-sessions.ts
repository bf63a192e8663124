import type { InitSession, Scope, TrackItem } from '../../actors/commands.ts';
import type { DomainFact, SessionClosed } from '../../actors/facts.ts';
import type { OpenSession, PlayerState, SeenFlag } from '../../actors/state.ts';
import type { ModelFlags } from './flag-history.ts';
import { evaluated } from './model-flags.ts';
import { playedOn } from './model-play.ts';

/** Sessions of game clients as the contract has them. */
export interface Called {
  facts: DomainFact[];
  next: PlayerState;
}

const MOST_OPEN = 4;

/** What an init does to the player: the oldest of four makes room, and the new one counts at once. */
export function predictOpening(held: PlayerState, body: InitSession, scope: Scope, at: number): Called {
  const { playerId, sessionId, device, ttlMs } = body;
  const flagKeys = body.flagKeys === null ? null : [...new Set(body.flagKeys)];
  const called: Called = { facts: [], next: held };
  const [oldest] = held.sessions;
  if (held.sessions.length === MOST_OPEN && oldest !== undefined) close(called, oldest, 'replaced', at);
  const { externalId } = held;
  const told = { sessionId, device, flagKeys, ttlMs, externalId };
  called.facts.push({ kind: 'SessionOpened', entityId: playerId, ...scope, at, ...told });
  const counts = { eventCount: 0, achievements: [], interventionsShown: 0, interventionsClicked: 0 };
  const session = { sessionId, openedAt: at, lastCallAt: at, ttlMs, flagKeys, flags: [], ...counts };
  called.next = {
    ...called.next,
    sessions: [...called.next.sessions, session],
    sessionCount: held.sessionCount + 1,
    sessionsInStage: held.sessionsInStage + 1,
    activity: playedOn(called.next.activity, at, 1, 0),
    device: device ?? held.device,
    lastSeenAt: Math.max(held.lastSeenAt, at),
  };
  return called;
}

/** A sync, after its events: how many were accepted, and what they unlocked. */
export function predictSynced(
  state: PlayerState,
  sessionId: string,
  eventCount: number,
  unlocked: readonly string[],
  scope: Scope,
  at: number,
): Called {
  const achievements = newOnes(sessionOf(state, sessionId), unlocked);
  const none = { interventionsShown: 0, interventionsClicked: 0 };
  const fact = {
    kind: 'SessionSynced',
    entityId: state.id,
    ...scope,
    at,
    sessionId,
    eventCount,
    achievements,
  } as const;
  return {
    facts: [{ ...fact, ...none }],
    next: {
      ...withSession(state, sessionId, (session) => ({
        ...session,
        lastCallAt: Math.max(session.lastCallAt, at),
        eventCount: session.eventCount + eventCount,
        achievements: [...session.achievements, ...achievements],
      })),
      lastSeenAt: Math.max(state.lastSeenAt, at),
    },
  };
}

/** What a call is told of flags: those that differ from what its session was told before. */
export function predictTold(
  state: PlayerState,
  sessionId: string,
  flags: ModelFlags,
  scope: Scope,
  at: number,
): Called & { told: SeenFlag[] } {
  const session = sessionOf(state, sessionId);
  const keys = session.flagKeys ?? [...flags.keys()].toSorted((a, b) => (a < b ? -1 : 1));
  const now = keys.flatMap((key) => flags.get(key) ?? []).map((flag) => seenOf(state, flag.key, flags));
  const gone = session.flags
    .filter(({ flagKey, enabled }) => enabled && !flags.has(flagKey))
    .map(({ flagKey }) => ({ flagKey, enabled: false, variant: null }));
  const told = [...now, ...gone].filter(({ flagKey, enabled, variant }) => {
    const before = session.flags.find((flag) => flag.flagKey === flagKey);
    return before?.enabled !== enabled || before.variant !== variant;
  });
  if (told.length === 0) return { facts: [], next: state, told };
  const held = new Map(session.flags.map((flag) => [flag.flagKey, flag]));
  for (const flag of told) held.set(flag.flagKey, flag);
  return {
    facts: [{ kind: 'SessionFlagsTold', entityId: state.id, ...scope, at, sessionId, flags: told }],
    next: withSession(state, sessionId, (one) => ({ ...one, flags: [...held.values()] })),
    told,
  };
}

/** The end that a client tells, after its events: no longer than time went by. */
export function predictEnding(
  state: PlayerState,
  sessionId: string,
  durationSeconds: number,
  eventCount: number,
  unlocked: readonly string[],
  at: number,
): Called & { session: OpenSession; durationSeconds: number } {
  const before = sessionOf(state, sessionId);
  const session: OpenSession = {
    ...before,
    eventCount: before.eventCount + eventCount,
    achievements: [...before.achievements, ...newOnes(before, unlocked)],
  };
  const called: Called = { facts: [], next: state };
  const most = Math.max(0, Math.floor((at - session.openedAt) / 1000));
  const seconds = Math.min(durationSeconds, most);
  close(called, session, 'ended', at, seconds);
  called.next = { ...called.next, lastSeenAt: Math.max(state.lastSeenAt, at) };
  return { ...called, session, durationSeconds: seconds };
}

/** When the first of a player's sessions is over by itself; Infinity: none is open. */
export function sessionsOverAt({ sessions }: PlayerState): number {
  return Math.min(Infinity, ...sessions.map(({ lastCallAt, ttlMs }) => lastCallAt + ttlMs));
}

/** The ends of the sessions that are over at `dueAt`. */
export function predictExpiry(state: PlayerState, dueAt: number): Called {
  const called: Called = { facts: [], next: state };
  for (const session of state.sessions) {
    if (session.lastCallAt + session.ttlMs === dueAt) close(called, session, 'expired', dueAt);
  }
  return called;
}

/** The achievement that an event unlocks. */
export function unlockedBy({ eventName, properties }: TrackItem): string[] {
  if (eventName !== 'achievement_unlocked') return [];
  const named = new Map<string, unknown>(Object.entries(JSON.parse(properties))).get('achievement_id');
  return typeof named === 'string' ? [named] : [];
}

function close(called: Called, session: OpenSession, reason: SessionClosed['reason'], at: number, told?: number): void {
  const { id: entityId, game, environment, externalId } = called.next;
  const { openedAt, lastCallAt, ttlMs: _, flagKeys: __, flags: ___, ...counted } = session;
  const durationSeconds = told ?? Math.max(0, Math.floor((lastCallAt - openedAt) / 1000));
  const endedAt = told === undefined ? lastCallAt : at;
  const closing = { reason, openedAt, endedAt, durationSeconds, externalId };
  const achievements = [...counted.achievements];
  called.facts.push({
    kind: 'SessionClosed',
    entityId,
    game,
    environment,
    at,
    ...counted,
    achievements,
    ...closing,
  });
  called.next = {
    ...called.next,
    sessions: called.next.sessions.filter(({ sessionId }) => sessionId !== session.sessionId),
    totalPlaytimeSeconds: called.next.totalPlaytimeSeconds + durationSeconds,
    activity: playedOn(called.next.activity, at, 0, durationSeconds),
  };
}

function seenOf(state: PlayerState, flagKey: string, flags: ModelFlags): SeenFlag {
  const flag = flags.get(flagKey);
  if (flag === undefined) throw new Error(`no flag ${flagKey}`);
  const { reason, value, variantKey: variant } = evaluated(state, flag, flags);
  const served: unknown = JSON.parse(value);
  return { flagKey, enabled: reason !== 'flag_disabled' && served !== false && served !== null, variant };
}

function newOnes({ achievements }: OpenSession, unlocked: readonly string[]): string[] {
  return [...new Set(unlocked)].filter((one) => !achievements.includes(one));
}

function sessionOf({ sessions }: PlayerState, sessionId: string): OpenSession {
  const session = sessions.find((one) => one.sessionId === sessionId);
  if (session === undefined) throw new Error(`no session ${sessionId}`);
  return session;
}

function withSession(
  state: PlayerState,
  sessionId: string,
  change: (session: OpenSession) => OpenSession,
): PlayerState {
  return {
    ...state,
    sessions: state.sessions.map((session) => (session.sessionId === sessionId ? change(session) : session)),
  };
}
