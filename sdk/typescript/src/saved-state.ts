import { readFlags, type FlagState } from './answers.ts';
import { isOwnSession } from './entries.ts';
import type { KeyValueStorage } from './storage.ts';

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
  return { flags: readFlags({}), segments: [], opened: {}, closed: [], recorded: [] };
}

export async function loadState(storage: KeyValueStorage, key: string): Promise<SavedState> {
  const text = await storage.getItem(key);
  return text === null ? noState() : stateOf(text);
}

/** A state from storage, or from another tab. What is not readable counts as absent: it can be had again. */
export function stateOf(text: string): SavedState {
  try {
    const { playerId, flags, segments, session, opened, closed, recorded } = Object(JSON.parse(text));
    const { own, id } = Object(session);
    const pairs = Object.entries(Object(opened)).filter((pair): pair is [string, string] => isText(pair[1]));
    return {
      ...(isText(playerId) ? { playerId } : {}),
      ...(isText(own) && isText(id) ? { session: { own, id } } : {}),
      flags: readFlags(flags),
      segments: texts(segments),
      opened: Object.fromEntries(pairs),
      closed: texts(closed),
      recorded: texts(recorded),
    };
  } catch {
    return noState();
  }
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
  const list: unknown[] = Array.isArray(value) ? value : [];
  return list.filter(isText);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
