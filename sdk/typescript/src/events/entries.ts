import { isText, parseObject } from '../wire/json.ts';

/* What the queue holds. Stored as JSON on devices for as long as they are offline: only ever add optional fields. */

/** A tracked event. */
export interface EventEntry {
  readonly kind: 'event';
  /** The `event_id`, set once, so that the service recognises every repeat. */
  readonly id: string;
  readonly name: string;
  /** Milliseconds since 1970: the service's time if `corrected`, else the device's. */
  readonly atMs: number;
  readonly corrected: boolean;
  /** Id of the session by the service, or the client's own id while the service has not opened it. */
  readonly session: string;
  /** The properties as JSON text; empty if there are none. */
  readonly properties: string;
}

/** Changed attributes of the player. */
export interface StateEntry {
  readonly kind: 'state';
  readonly id: string;
  readonly session: string;
  readonly attributes: string;
}

/** The end of a session. */
export interface EndEntry {
  readonly kind: 'end';
  readonly id: string;
  readonly session: string;
  readonly seconds: number;
  /** As of an event. */
  readonly atMs: number;
  readonly corrected: boolean;
}

export type Entry = EventEntry | StateEntry | EndEntry;

/** Own ids of sessions begin like this; those of the service with `ses_`. */
const OWN = 'own_';

export function ownSessionId(id: string): string {
  return OWN + id;
}

export function isOwnSession(session: string): boolean {
  return session.startsWith(OWN);
}

/** Bytes of an entry in a request, from above. */
export function sizeOf(entry: Entry): number {
  const texts: { kind: string; name?: string; properties?: string; attributes?: string } = entry;
  const { name = '', properties = '', attributes = '' } = texts;
  return OVERHEAD_BYTES + utf8Bytes(name + properties + attributes);
}

/** Field names, ids, times and punctuation of an event. */
const OVERHEAD_BYTES = 300;

export function utf8Bytes(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    // Each half of a surrogate pair counts two: four bytes a pair.
    if (code > 0x7f) bytes += code > 0x7ff && (code < 0xd800 || code > 0xdfff) ? 2 : 1;
  }
  return bytes;
}

/** The attributes of several changes as one JSON text; later ones win. */
export function mergedAttributes(states: readonly StateEntry[]): string {
  if (states.length === 1) return states[0]?.attributes ?? '{}';
  const pairs = states.flatMap(({ attributes }) => Object.entries(Object(JSON.parse(attributes))));
  // Object.fromEntries keeps an attribute named __proto__ as an own property.
  return JSON.stringify(Object.fromEntries(pairs));
}

/** The entries of a stored chunk; undefined if the text is not one. */
export function parseEntries(text: string): Entry[] | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) && parsed.every(isEntry) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function isEntry(value: unknown): value is Entry {
  const { kind, id, session, name, properties, attributes, seconds, atMs, corrected } = Object(value);
  if (!isText(id) || typeof session !== 'string') return false;
  if (kind === 'state') return parseObject(attributes) !== undefined;
  if (!Number.isFinite(atMs) || typeof corrected !== 'boolean') return false;
  if (kind === 'end') return Number.isSafeInteger(seconds) && seconds >= 0;
  return kind === 'event' && isText(name) && (properties === '' || parseObject(properties) !== undefined);
}
