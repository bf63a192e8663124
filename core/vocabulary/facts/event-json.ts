import type { JsonText } from '../../kernel/text/json.ts';
import { formatTimestamp } from '../../kernel/text/timestamp.ts';

/*
 * The public JSON of an event: the only code that writes the names and values of its members. Responses, the stream and
 * webhooks each list their members in their own order. Concatenation, because every tracked event passes here.
 */

/** An event as callers see it. Times are epoch milliseconds. */
export interface PublicEvent {
  eventId: string;
  eventName: string;
  playerId: string;
  sessionId: string | null;
  properties: JsonText;
  timestamp: number;
  receivedAt: number;
}

/** Members of an event in lists and in the stream, without braces. */
export function eventMembers(event: PublicEvent): string {
  return (
    `${eventId(event)},${eventName(event)},${playerId(event)},${sessionId(event)},${properties(event)},` +
    `${timestamp(event)},${receivedAt(event)}`
  );
}

/** Members of the acknowledgement of an event, without braces. */
export function acknowledgedMembers(event: Omit<PublicEvent, 'sessionId' | 'properties'>): string {
  return `${eventId(event)},${playerId(event)},${eventName(event)},${timestamp(event)},${receivedAt(event)}`;
}

/** Members of `data` in the webhook of an event, without braces. */
export function webhookMembers(
  event: Pick<PublicEvent, 'playerId' | 'eventName' | 'properties'> & { externalId: string },
): string {
  return `${playerId(event)},${externalId(event)},${eventName(event)},${properties(event)}`;
}

function eventId(event: { eventId: string }): string {
  return `"event_id":${JSON.stringify(event.eventId)}`;
}

function eventName(event: { eventName: string }): string {
  return `"event_name":${JSON.stringify(event.eventName)}`;
}

/** A player id is a UUID, so it needs no escaping. */
function playerId(event: { playerId: string }): string {
  return `"player_id":"${event.playerId}"`;
}

function externalId(event: { externalId: string }): string {
  return `"external_id":${JSON.stringify(event.externalId)}`;
}

function sessionId(event: { sessionId: string | null }): string {
  return `"session_id":${JSON.stringify(event.sessionId)}`;
}

function properties(event: { properties: JsonText }): string {
  return `"properties":${event.properties}`;
}

function timestamp(event: { timestamp: number }): string {
  return `"timestamp":"${formatTimestamp(event.timestamp)}"`;
}

function receivedAt(event: { receivedAt: number }): string {
  return `"received_at":"${formatTimestamp(event.receivedAt)}"`;
}
