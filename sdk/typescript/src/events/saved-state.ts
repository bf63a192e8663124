import { readFlags, type FlagState } from '../flags/answers.ts';
import { isOwnSession } from './entries.ts';
import { isText, listOf, parseObject } from '../wire/json.ts';

/*
 * What a player's client remembers between runs, and shares between tabs: the player's id, the flags and segments of
 * the last session, and which sessions exist. Written by the tab that sends.
 */
export interface SavedState {
  playerId?: string;
  flags: Record<string, FlagState>;
  segments: readonly string[];
  /** Registers the player, also when another one uses the device: `external_id` and more. */
  registration?: Readonly<Record<string, unknown>>;
  /** The session that tabs track for. A start soon after goes on with it. */
  session?: PlayedSession;
  /** Ids by the service of sessions by their own id, newest last. */
  opened: Readonly<Record<string, string>>;
  /** Sessions that the service no longer takes events for, newest last. */
  closed: readonly string[];
  /** Own sessions that were played offline and have been recorded. */
  recorded: readonly string[];
}

export interface PlayedSession {
  own: string;
  /** By the service, once it has opened it. */
  id?: string;
  /** When it began and was last known to go on, by the device's clock. */
  sinceMs: number;
  activeMs: number;
  /** What `init` sends beside the player: another build, or other flags, begin another session. */
  fields: string;
}

/** The time after which the service ends a silent session, unless it is configured otherwise. */
const CONTINUED_MS = 30 * 60_000;

/** Sessions with events in the queue at the same time; more only if the client was ended as often while offline. */
const REMEMBERED_SESSIONS = 32;

export function noState(): SavedState {
  return stateOf(null);
}

/** A state from storage, or from another tab; null is none. What is not readable can be had again. */
export function stateOf(text: string | null): SavedState {
  const { playerId, registration, flags, segments, session, opened, closed, recorded } = Object(parseObject(text));
  const pairs = Object.entries(Object(opened)).filter((pair): pair is [string, string] => isText(pair[1]));
  return {
    ...(isText(playerId) && { playerId }),
    ...(Object(registration) === registration && { registration }),
    ...(isPlayed(session) && { session }),
    flags: readFlags(flags),
    segments: texts(segments),
    opened: Object.fromEntries(pairs),
    closed: texts(closed),
    recorded: texts(recorded),
  };
}

function isPlayed(session: unknown): session is PlayedSession {
  const { own, id, sinceMs, activeMs, fields } = Object(session);
  const isTimed = Number.isFinite(sinceMs) && Number.isFinite(activeMs);
  return isText(own) && (id === undefined || isText(id)) && isTimed && isText(fields);
}

/** The state for a start: a session of an earlier run goes on only if that was a short time ago. */
export function atStart(state: SavedState, fields: string, nowMs: number): SavedState {
  const { session, ...rest } = state;
  const silentMs = nowMs - (session?.activeMs ?? 0);
  return session?.fields === fields && silentMs >= 0 && silentMs < CONTINUED_MS ? state : rest;
}

export function withOpened({ session, ...state }: SavedState, own: string, id: string): SavedState {
  const opened = [...Object.entries(state.opened), [own, id] as const].slice(-REMEMBERED_SESSIONS);
  const played = session?.own === own ? { ...session, id } : session;
  return { ...state, ...(played && { session: played }), opened: Object.fromEntries(opened) };
}

export function withClosed({ session, ...state }: SavedState, id: string): SavedState {
  const closed = [...state.closed.filter((each) => each !== id), id].slice(-REMEMBERED_SESSIONS);
  return { ...state, closed, ...(session === undefined || session.id === id ? {} : { session }) };
}

export function withRecorded(state: SavedState, own: string): SavedState {
  return { ...state, recorded: [...state.recorded, own].slice(-REMEMBERED_SESSIONS) };
}

/** The service's id of a session; undefined if it never opened it. */
export function serverSession({ opened }: SavedState, session: string): string | undefined {
  return isOwnSession(session) ? opened[session] : session;
}

function texts(value: unknown): string[] {
  return listOf(value).filter(isText);
}
