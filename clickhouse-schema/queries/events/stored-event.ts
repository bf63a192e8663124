import type { PublicEvent } from '../../../core/vocabulary/facts/event-json.ts';
import type { RowPlace } from '../../rows/player-rows.ts';

/** The columns of an event and of its position in the log. */
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

/** An accepted or quarantined event in a list. */
export function foundEvent(row: EventRow): PublicEvent {
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
