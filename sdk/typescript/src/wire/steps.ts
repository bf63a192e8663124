import {
  type EndEntry,
  type Entry,
  type EventEntry,
  isOwnSession,
  mergedAttributes,
  sizeOf,
  type StateEntry,
} from '../events/entries.ts';
import { serverSession, type SavedState } from '../events/saved-state.ts';
import type { Request } from './transport.ts';

/*
 * Which request to send next for the queue.
 *
 * Invariants
 * 1. Entries are sent in their order. A request takes a run of entries whose times do not go back, because the service
 *    applies the events of a request by time.
 * 2. Events of a session that the service may still hold open go by `sync` or `end-session`. Events of other sessions
 *    go by the batch endpoint, with the session's id: it takes events of any age.
 * 3. Changed attributes wait for a `sync`: the batch endpoint has none.
 */

export interface Step {
  readonly kind: 'register' | 'init' | 'sync' | 'batch' | 'end' | 'record';
  readonly request: Request;
  readonly events: readonly EventEntry[];
  readonly states: readonly StateEntry[];
  readonly end?: EndEntry;
  /** The session of the request: by the service for `sync` and `end`, own for `init` and `record`. */
  readonly session: string;
}

export interface StepContext {
  playerId: string;
  state: SavedState;
  /** The session of this run, while it lasts. */
  current: { own: string; id: string } | undefined;
  /** Raw time at which this run began: other tabs' events since then belong to the session of this run. */
  runSinceMs: number;
  /** What to add to times that are not corrected. */
  offsetMs: number;
  mostEvents: number;
  mostBytes: number;
  newKey: () => string;
}

/** Where the entries of a session go: to an open session, or as events of one that is gone. */
type Place = { isOpen: boolean; session: string };

/** The next step for the queue; undefined if nothing can be sent. */
export function nextStep(entries: readonly Entry[], context: StepContext): Step | undefined {
  const { current, mostEvents, mostBytes } = context;
  const events: EventEntry[] = [];
  let states: StateEntry[] = [];
  let place: Place | undefined;
  let bytes = 0;
  let latestMs = -Infinity;
  for (const entry of entries) {
    bytes += sizeOf(entry);
    const isFull = bytes > mostBytes && events.length + states.length > 0;
    if (entry.kind === 'state') {
      if (place?.isOpen === false) continue;
      if (isFull) break;
      states.push(entry);
      continue;
    }
    const its = placeOf(entry, context);
    if (entry.kind === 'end') {
      if (events.length === 0 && (states.length === 0 || !its.isOpen)) return endStep([], entry, its, entries, context);
      if (states.length === 0 && its.isOpen && place?.session === its.session) {
        return endStep(events, entry, its, entries, context);
      }
      break;
    }
    const atMs = timeOf(entry, context);
    if (place !== undefined && (place.isOpen !== its.isOpen || (its.isOpen && place.session !== its.session))) break;
    if (isFull || events.length === mostEvents || atMs < latestMs) break;
    place ??= its;
    if (!place.isOpen) states = [];
    events.push(entry);
    latestMs = atMs;
  }
  if (place === undefined) {
    return states.length === 0 || current === undefined ? undefined : syncStep([], states, current.id, context);
  }
  return place.isOpen ? syncStep(events, states, place.session, context) : batchStep(events, entries, context);
}

/** Ends of sessions that the service has closed, or that have been recorded: nothing is left to send for them. */
export function settledEnds(entries: readonly Entry[], context: StepContext): EndEntry[] {
  return entries.filter(
    (entry): entry is EndEntry =>
      entry.kind === 'end' && !placeOf(entry, context).isOpen && !isUnrecorded(entry.session, context),
  );
}

function placeOf(entry: Entry, { state, current, runSinceMs }: StepContext): Place {
  const known = serverSession(state, entry.session);
  if (known !== undefined) return { isOpen: !state.closed.includes(known), session: known };
  // A tab that does not know of this run's session yet.
  const isOfThisRun = entry.kind === 'event' && entry.atMs >= runSinceMs && current !== undefined;
  return isOfThisRun ? { isOpen: true, session: current.id } : { isOpen: false, session: entry.session };
}

const NO_ENTRIES = { events: [], states: [] };

export function registerStep(fields: Readonly<Record<string, unknown>>): Step {
  const request = { path: '/v1/players/players', body: JSON.stringify(fields) };
  return { kind: 'register', request, ...NO_ENTRIES, session: '' };
}

/** The session's own id is the Idempotency-Key: however often it is asked for, the service opens it once. */
export function initStep(own: string, playerId: string, fields: Readonly<Record<string, unknown>>): Step {
  const body = JSON.stringify({ player_id: playerId, ...fields });
  const request = { path: '/v1/bff/game/init', body, idempotencyKey: own };
  return { kind: 'init', request, ...NO_ENTRIES, session: own };
}

/** Asks for interventions and changed flags, and keeps the session open. */
export function syncStep(
  events: readonly EventEntry[],
  states: readonly StateEntry[],
  session: string,
  context: StepContext,
): Step {
  const changes = states.length === 0 ? '' : `,"state_updates":${mergedAttributes(states)}`;
  const body = `{${sessionJson(session, context)},"events":${eventsJson(events, context)}${changes}}`;
  const request = { path: '/v1/bff/game/sync', body, idempotencyKey: context.newKey() };
  return { kind: 'sync', request, events, states, session };
}

function batchStep(events: readonly EventEntry[], entries: readonly Entry[], context: StepContext): Step {
  const played = events.find(({ session }) => isUnrecorded(session, context));
  if (played !== undefined) return recordStep(played.session, entries, context);
  const body = `{"events":${eventsJson(events, context, true)}}`;
  return { kind: 'batch', request: { path: '/v1/events/events/batch', body }, events, states: [], session: '' };
}

function endStep(
  events: readonly EventEntry[],
  end: EndEntry,
  { isOpen, session }: Place,
  entries: readonly Entry[],
  context: StepContext,
): Step {
  if (!isOpen) return recordStep(end.session, entries, context, end);
  const body =
    `{${sessionJson(session, context)},"session_duration_seconds":${end.seconds},` +
    `"final_events":${eventsJson(events, context)}}`;
  const request = { path: '/v1/bff/game/end-session', body, idempotencyKey: context.newKey() };
  return { kind: 'end', request, events, states: [], end, session };
}

/**
 * Records a session that was played without the service. A session counts once by its id, so a repeat adds nothing, and
 * neither does a session that `init` opened.
 */
function recordStep(session: string, entries: readonly Entry[], context: StepContext, end?: EndEntry): Step {
  const own = entries.filter((entry) => entry.session === session);
  const ended = end ?? own.find((entry) => entry.kind === 'end');
  const times = own.flatMap((entry) => (entry.kind === 'state' ? [] : timeOf(entry, context)));
  const lastMs = Math.max(...times);
  const firstMs = Math.min(...times);
  const startMs = ended === undefined ? firstMs : Math.min(firstMs, timeOf(ended, context) - ended.seconds * 1000);
  const seconds = ended?.seconds ?? Math.floor((lastMs - startMs) / 1000);
  const body = JSON.stringify({
    session_id: session,
    duration_seconds: Math.min(seconds, DAY_SECONDS),
    start_time: isoTime(startMs),
    end_time: isoTime(lastMs),
  });
  const path = `/v1/players/players/${encodeURIComponent(context.playerId)}/session`;
  return { kind: 'record', request: { path, body }, events: [], states: [], ...(end && { end }), session };
}

/** The longest session that the service records. */
const DAY_SECONDS = 86_400;

function isUnrecorded(session: string, { state }: StepContext): boolean {
  return isOwnSession(session) && state.opened[session] === undefined && !state.recorded.includes(session);
}

function sessionJson(session: string, { playerId }: StepContext): string {
  return `"player_id":${JSON.stringify(playerId)},"session_id":${JSON.stringify(session)}`;
}

function eventsJson(events: readonly EventEntry[], context: StepContext, isBatch = false): string {
  const items = events.map((event) => {
    const { id, name, properties } = event;
    const head = isBatch ? `${sessionJson(placeOf(event, context).session, context)},` : '';
    const own = properties === '' ? '' : `,"properties":${properties}`;
    return (
      `{${head}"event_name":${JSON.stringify(name)},"timestamp":"${isoTime(timeOf(event, context))}",` +
      `"event_id":${JSON.stringify(id)}${own}}`
    );
  });
  return `[${items.join(',')}]`;
}

/** The service's time of an event. */
function timeOf({ atMs, corrected }: EventEntry | EndEntry, { offsetMs }: Pick<StepContext, 'offsetMs'>): number {
  return corrected ? atMs : atMs + offsetMs;
}

/** A device's clock may be set to anything: times outside of what ISO 8601 writes with four digits are cut. */
export function isoTime(ms: number): string {
  return new Date(Math.min(Math.max(ms, 0), LATEST_MS)).toISOString();
}

const LATEST_MS = Date.UTC(9999, 11, 31);
