import type { RowPlace } from '../rows/player-rows.ts';

/** An event as lists tell it, accepted or set aside. Times are epoch milliseconds. */
export interface FoundEvent {
  eventId: string;
  eventName: string;
  playerId: string;
  sessionId: string | null;
  /** JSON text, as it was sent. */
  properties: string;
  timestamp: number;
  receivedAt: number;
}

/** What statements answer of it, and of its place in the log. */
export interface EventRow {
  event_id: string;
  event_name: string;
  player_id: string;
  session_id: string | null;
  properties: string;
  timestamp_ms: string | number;
  received_ms: string | number;
  facts_sequence: string | number;
  facts_index: number;
}

export function foundEvent(row: EventRow): FoundEvent {
  return {
    eventId: row.event_id,
    eventName: row.event_name,
    playerId: row.player_id,
    sessionId: row.session_id,
    properties: row.properties,
    timestamp: Number(row.timestamp_ms),
    receivedAt: Number(row.received_ms),
  };
}

export function placeOf(row: EventRow): RowPlace {
  return { receivedMs: Number(row.received_ms), sequence: Number(row.facts_sequence), index: row.facts_index };
}
