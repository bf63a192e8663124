import { SHARED_LIMITS } from '../../../core/kernel/limits.ts';
import { eventMembers } from '../../../core/vocabulary/facts/event-json.ts';
import type { EventTracked } from '../../../core/vocabulary/facts/event-tracked.ts';

/** An SSE message: an optional `id:` line, one `data:` line, a blank line. */
function messageText(data: string, id?: string): string {
  return id === undefined ? `data: ${data}\n\n` : `id: ${id}\ndata: ${data}\n\n`;
}

function message(data: string, id?: string): Uint8Array {
  return Buffer.from(messageText(data, id), 'utf8');
}

/**
 * The first message, sent once the subscription is live. `id` is the reader's start, so that it can resume before its
 * first event; `retry` is how long an EventSource waits before it reconnects.
 */
export function connectedMessage(game: string, id?: string): Uint8Array {
  const text = messageText(JSON.stringify({ type: 'connected', game_id: game }), id);
  return Buffer.from(`retry: ${SHARED_LIMITS.streamRetryMs}\n${text}`, 'utf8');
}

/** Heartbeat with the time (offset +00:00) and, for readers that are up to date, the current position. */
export function heartbeatMessage(nowMs: number, id?: string): Uint8Array {
  const timestamp = new Date(nowMs).toISOString().replace('Z', '+00:00');
  return message(JSON.stringify({ type: 'heartbeat', timestamp }), id);
}

/**
 * Events that this reader can no longer get. It has no id, so a reader that disconnects right after it resumes from its
 * last position.
 * @param missed number of lost events of the subscription; null if unknown
 * @param availableSinceMs when the oldest record was stored from which the reader continues; undefined if unknown
 */
export function gapMessage(missed: number | null, availableSinceMs: number | undefined): Uint8Array {
  const since = availableSinceMs === undefined ? null : new Date(availableSinceMs).toISOString();
  return message(JSON.stringify({ type: 'gap', missed, available_since: since }));
}

/** Sent to a reader that is refused. */
export function refusalMessage(reason: string): Uint8Array {
  return message(JSON.stringify({ type: 'error', code: 'SERVICE_UNAVAILABLE', message: reason }));
}

/** An event as text, because many share one write. */
export function eventMessage(fact: EventTracked, id: string): string {
  const members = eventMembers({
    eventId: fact.eventId,
    eventName: fact.eventName,
    playerId: fact.entityId,
    sessionId: fact.sessionId,
    properties: singleLine(fact.properties),
    timestamp: fact.timestamp,
    receivedAt: fact.at,
  });
  const fault = fact.schemaFault === undefined ? '' : `,"schema_fault":${JSON.stringify(fact.schemaFault)}`;
  return messageText(`{"type":"event",${members}${fault}}`, id);
}

/** A line break outside a string is legal JSON but would end the `data:` line; inside a string it is always escaped. */
function singleLine(json: string): string {
  return json.includes('\n') || json.includes('\r') ? json.replaceAll(/[\r\n]+/g, ' ') : json;
}
