import { readFlags, type FlagState } from './answers.ts';
import { isOwnSession } from './entries.ts';
import { isText, listOf, parseObject } from './json.ts';

/*
 * What a player's client remembers between runs, and shares between tabs: the player's id, the flags and segments of
 * the last session, and which sessions exist. Written by the tab that sends.
 */
export interface SavedState {
  playerId?: string;
  flags: Record<string, FlagState>;
  segments: readonly string[];
  /** The session that tabs track for. */
  session?: { own: string; id: string };
  /** Ids by the service of sessions by their own id, newest last. */
  opened: Readonly<Record<string, string>>;
  /** Sessions that the service no longer takes events for, newest last. */
  closed: readonly string[];
  /** Own sessions that were played offline and have been recorded. */
  recorded: readonly string[];
}

/** Sessions with events in the queue at the same time; more only if the client was ended as often while offline. */
const REMEMBERED_SESSIONS = 32;

export function noState(): SavedState {
  return stateOf(null);
}

/** A state from storage, or from another tab; null is none. What is not readable can be had again. */
export function stateOf(text: string | null): SavedState {
  const { playerId, flags, segments, session, opened, closed, recorded } = Object(parseObject(text));
  const { own, id } = Object(session);
  const pairs = Object.entries(Object(opened)).filter((pair): pair is [string, string] => isText(pair[1]));
  return {
    ...(isText(playerId) && { playerId }),
    ...(isText(own) && isText(id) && { session: { own, id } }),
    flags: readFlags(flags),
    segments: texts(segments),
    opened: Object.fromEntries(pairs),
    closed: texts(closed),
    recorded: texts(recorded),
  };
}

/** A session of an earlier run is not continued. */
export function withoutSession(state: SavedState): SavedState {
  const { session: _, ...rest } = state;
  return rest;
}

export function withOpened(state: SavedState, own: string, id: string): SavedState {
  const opened = [...Object.entries(state.opened), [own, id] as const].slice(-REMEMBERED_SESSIONS);
  return { ...state, session: { own, id }, opened: Object.fromEntries(opened) };
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
