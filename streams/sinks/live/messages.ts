import type { EventTracked } from '../../../actors/vocabulary/facts.ts';
import { LIMITS } from '../../../src/kernel/limits.ts';

/** An SSE message (contract: Event stream messages): an optional `id:` line, one `data:` line, a blank line. */
function messageText(data: string, id?: string): string {
  return id === undefined ? `data: ${data}\n\n` : `id: ${id}\ndata: ${data}\n\n`;
}

function message(data: string, id?: string): Uint8Array {
  return Buffer.from(messageText(data, id), 'utf8');
}

/**
 * Sent first, once the subscription is live. `id` is where the reader starts, so that it can resume from the very beginning;
 * `retry` is how long an EventSource waits before it comes back.
 */
export function connectedMessage(game: string, id?: string): Uint8Array {
  const text = messageText(JSON.stringify({ type: 'connected', game_id: game }), id);
  return Buffer.from(`retry: ${LIMITS.streamRetryMs}\n${text}`, 'utf8');
}

/** Keep-alive with the time (offset +00:00) and, for readers that are up to date, the current position. */
export function heartbeatMessage(nowMs: number, id?: string): Uint8Array {
  const timestamp = new Date(nowMs).toISOString().replace('Z', '+00:00');
  return message(JSON.stringify({ type: 'heartbeat', timestamp }), id);
}

/**
 * Events that this reader will not get any more.
 * It carries no id: a reader that is cut off right after it resumes from where it really was.
 * @param missed how many of those it asks for; null when nobody can tell
 */
export function gapMessage(missed: number | null): Uint8Array {
  return message(JSON.stringify({ type: 'gap', missed }));
}

/** Told to a reader that is not taken on. */
export function refusalMessage(reason: string): Uint8Array {
  return message(JSON.stringify({ type: 'error', code: 'SERVICE_UNAVAILABLE', message: reason }));
}

/** An ingested event, as text: many go out in one write. `properties` is spliced in as the JSON text it is. */
export function eventMessage(fact: EventTracked, id: string): string {
  return messageText(
    `{"type":"event","event_id":${JSON.stringify(fact.eventId)},"event_name":${JSON.stringify(fact.eventName)},` +
      `"player_id":${JSON.stringify(fact.entityId)},"session_id":${JSON.stringify(fact.sessionId)},` +
      `"properties":${singleLine(fact.properties)},"timestamp":"${new Date(fact.timestamp).toISOString()}",` +
      `"received_at":"${new Date(fact.at).toISOString()}"}`,
    id,
  );
}

/** A line break outside a string is legal JSON but would end the `data:` line; inside a string it is always escaped. */
function singleLine(json: string): string {
  return /[\r\n]/.test(json) ? json.replaceAll(/[\r\n]+/g, ' ') : json;
}
