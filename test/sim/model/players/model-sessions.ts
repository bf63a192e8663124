import { isDeepStrictEqual } from 'node:util';
import type { InitSession, TrackItem } from '../../../../core/vocabulary/commands/commands.ts';
import type { DomainFact } from '../../../../core/vocabulary/facts/facts.ts';
import type { PlayerState } from '../../../../core/vocabulary/state/state.ts';
import type { ModelFlags } from '../flags/flag-set.ts';
import { evaluated } from '../flags/model-flags.ts';
import { predictServed } from '../flags/model-served.ts';
import { modelPlayedWith, playedOn } from './model-play.ts';
import type { CallerKind, Scope } from '../../../../core/vocabulary/documents/scope.ts';
import type { OpenSession, SeenFlag } from '../../../../core/vocabulary/state/player.ts';
import type { FlagEvaluation, SessionFlag } from '../../../../core/vocabulary/commands/replies.ts';
import type { SessionClosed } from '../../../../core/vocabulary/facts/session-facts.ts';

/** Sessions of game clients as documented. */
export interface Called {
  facts: DomainFact[];
  next: PlayerState;
}

const MOST_OPEN = 4;

/**
 * Predicts an init. The new session counts at once. If four are open, the oldest ends; for a client key, first the
 * oldest that had no call since its init.
 */
export function predictOpening(
  held: PlayerState,
  body: InitSession,
  scope: Scope,
  at: number,
  by: CallerKind | undefined,
): Called {
  const { playerId, sessionId, device, ttlMs } = body;
  const flagKeys = body.flagKeys === null ? null : [...new Set(body.flagKeys)];
  const called: Called = { facts: [], next: held };
  const silent = held.sessions.find(({ openedAt, lastCallAt }) => openedAt === lastCallAt);
  const oldest = (by === 'client' ? silent : undefined) ?? held.sessions[0];
  if (held.sessions.length === MOST_OPEN && oldest !== undefined) close(called, oldest, 'replaced', at);
  const { externalId } = held;
  const details = { sessionId, device, flagKeys, ttlMs, externalId };
  called.facts.push({ kind: 'SessionOpened', entityId: playerId, ...scope, at, ...details });
  const counts = { eventCount: 0, achievements: [], interventionsShown: 0, interventionsClicked: 0 };
  const own = modelPlayedWith(device ?? held.device);
  const session = { sessionId, openedAt: at, lastCallAt: at, ttlMs, flagKeys, flags: [], ...counts, ...own };
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

/** Predicts a sync after its events: the number of accepted events, and what they reported. */
export function predictSynced(
  state: PlayerState,
  sessionId: string,
  accepted: readonly TrackItem[],
  scope: Scope,
  at: number,
): Called {
  const eventCount = accepted.length;
  const achievements = newOnes(sessionOf(state, sessionId), accepted);
  const { shown: interventionsShown, clicked: interventionsClicked } = countResponses(accepted);
  const fact = {
    kind: 'SessionSynced',
    entityId: state.id,
    ...scope,
    at,
    sessionId,
    eventCount,
    achievements,
    interventionsShown,
    interventionsClicked,
  } as const;
  return {
    facts: [fact],
    next: {
      ...withSession(state, sessionId, (session) => ({
        ...session,
        lastCallAt: Math.max(session.lastCallAt, at),
        eventCount: session.eventCount + eventCount,
        achievements: [...session.achievements, ...achievements],
        interventionsShown: session.interventionsShown + interventionsShown,
        interventionsClicked: session.interventionsClicked + interventionsClicked,
      })),
      lastSeenAt: Math.max(state.lastSeenAt, at),
    },
  };
}

/** The flags in a call's reply: those that differ from what the session received before. */
export function predictFlagChanges(
  state: PlayerState,
  sessionId: string,
  flags: ModelFlags,
  scope: Scope,
  at: number,
): Called & { changes: SessionFlag[] } {
  const session = sessionOf(state, sessionId);
  const keys = session.flagKeys ?? [...flags.keys()].toSorted((a, b) => (a < b ? -1 : 1));
  const now = keys.flatMap((key) => flags.get(key) ?? []).map((flag) => evaluated(state, flag, flags));
  const gone = session.flags.filter(({ flagKey }) => !flags.has(flagKey)).map(({ flagKey }) => deleted(flagKey));
  const changed = [...now, ...gone].filter((evaluation) => {
    const before = session.flags.find(({ flagKey }) => flagKey === evaluation.flagKey);
    return !isDeepStrictEqual(before, seenOf(evaluation));
  });
  const changes = changed.map(sentOf);
  if (changes.length === 0) return { facts: [], next: state, changes };
  const seen = changed.map(seenOf);
  const held = new Map(session.flags.map((flag) => [flag.flagKey, flag]));
  for (const flag of seen) held.set(flag.flagKey, flag);
  const fact = { kind: 'SessionFlagsTold', entityId: state.id, ...scope, at, sessionId, flags: seen } as const;
  const next = withSession(state, sessionId, (one) => ({ ...one, flags: [...held.values()] }));
  // What a reply contains counts as served.
  const serving = changes
    .flatMap(({ flagKey }) => flags.get(flagKey) ?? [])
    .map((flag) => ({ flag, evaluation: evaluated(state, flag, flags) }));
  const served = predictServed(next, serving, flags, at);
  return { facts: served === undefined ? [fact] : [fact, served.fact], next: served?.next ?? next, changes };
}

/** Predicts the end of a session after its events. The duration is at most the time that passed. */
export function predictEnding(
  state: PlayerState,
  sessionId: string,
  durationSeconds: number,
  accepted: readonly TrackItem[],
  at: number,
): Called & { session: OpenSession; durationSeconds: number } {
  const before = sessionOf(state, sessionId);
  const session: OpenSession = {
    ...before,
    eventCount: before.eventCount + accepted.length,
    achievements: [...before.achievements, ...newOnes(before, accepted)],
    interventionsShown: before.interventionsShown + countResponses(accepted).shown,
    interventionsClicked: before.interventionsClicked + countResponses(accepted).clicked,
  };
  const called: Called = { facts: [], next: state };
  const most = Math.max(0, Math.floor((at - session.openedAt) / 1000));
  const seconds = Math.min(durationSeconds, most);
  close(called, session, 'ended', at, seconds);
  called.next = { ...called.next, lastSeenAt: Math.max(state.lastSeenAt, at) };
  return { ...called, session, durationSeconds: seconds };
}

/** The time at which the player's first session expires; Infinity: none is open. */
export function sessionsOverAt({ sessions }: PlayerState): number {
  return Math.min(Infinity, ...sessions.map(({ lastCallAt, ttlMs }) => lastCallAt + ttlMs));
}

/** The ends of the sessions that have expired at `dueAt`. */
export function predictExpiry(state: PlayerState, dueAt: number): Called {
  const called: Called = { facts: [], next: state };
  for (const session of state.sessions) {
    if (session.lastCallAt + session.ttlMs === dueAt) close(called, session, 'expired', dueAt);
  }
  return called;
}

/** The property of an event with this name, if it is a string. */
function named({ eventName, properties }: TrackItem, wanted: string, key: string): string[] {
  if (eventName !== wanted) return [];
  const text = new Map<string, unknown>(Object.entries(JSON.parse(properties))).get(key);
  return typeof text === 'string' ? [text] : [];
}

/** The number of events that report a shown, or clicked, intervention. */
function countResponses(accepted: readonly TrackItem[]): { shown: number; clicked: number } {
  const count = (wanted: string) => accepted.flatMap((item) => named(item, wanted, 'intervention_id')).length;
  return { shown: count('intervention_shown'), clicked: count('intervention_clicked') };
}

function close(
  called: Called,
  session: OpenSession,
  reason: SessionClosed['reason'],
  at: number,
  statedSeconds?: number,
): void {
  const { id: entityId, game, environment, externalId, country } = called.next;
  const { openedAt, lastCallAt, ttlMs: _, flagKeys: __, flags: ___, ...counted } = session;
  const durationSeconds = statedSeconds ?? Math.max(0, Math.floor((lastCallAt - openedAt) / 1000));
  const endedAt = statedSeconds === undefined ? lastCallAt : at;
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
    ...(country === '' ? {} : { country }),
  });
  called.next = {
    ...called.next,
    sessions: called.next.sessions.filter(({ sessionId }) => sessionId !== session.sessionId),
    totalPlaytimeSeconds: called.next.totalPlaytimeSeconds + durationSeconds,
    activity: playedOn(called.next.activity, at, 0, durationSeconds),
  };
}

function sentOf({ flagKey, reason, value, variantKey: variant, period }: FlagEvaluation): SessionFlag {
  const served: unknown = JSON.parse(value);
  const enabled = reason !== 'flag_disabled' && served !== false && served !== null;
  return { flagKey, enabled, variant, value, reason, period };
}

/** What a session stores. All values of the simulation are short enough to be stored whole. */
function seenOf(evaluation: FlagEvaluation): SeenFlag {
  const { value, reason, period = 0, ...seen } = sentOf(evaluation);
  return { ...seen, mark: `${MARKS[reason ?? 'default']}${period}:${value}` };
}

const MARKS = {
  default: 'd',
  segment_match: 's',
  percentage_rollout: 'p',
  flag_disabled: 'x',
  player_override: 'o',
} as const;

function deleted(flagKey: string): FlagEvaluation {
  return { flagKey, value: 'null', variantKey: null, reason: 'flag_disabled', period: 0 };
}

/** The achievements that events unlock for the first time in their session. */
function newOnes({ achievements }: OpenSession, accepted: readonly TrackItem[]): string[] {
  const unlocked = accepted.flatMap((item) => named(item, 'achievement_unlocked', 'achievement_id'));
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
