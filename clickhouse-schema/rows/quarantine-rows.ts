import type { EventQuarantined } from '../../actors/vocabulary/facts.ts';
import { timeText } from './column-values.ts';
import { keyKind } from '../queries/event-source.ts';
import type { FactOrigin, RowFor } from './row.ts';
import type { EventTracked } from '../../actors/vocabulary/event-tracked.ts';

/** The row of an event that was set aside. */
export function quarantinedRow(fact: EventQuarantined, place: FactOrigin): RowFor<'quarantined_events'> {
  return {
    event_id: fact.eventId,
    game_id: fact.game,
    environment: fact.environment,
    player_id: fact.entityId,
    external_id: fact.externalId,
    event_name: fact.eventName,
    session_id: fact.sessionId,
    properties: fact.properties,
    timestamp: timeText(fact.timestamp),
    received_at: timeText(fact.at),
    quarantine_number: fact.number,
    schema_version: fact.reason.schemaVersion,
    reason: JSON.stringify(fact.reason.faults.map(({ path, message }) => ({ path, message }))),
    key_kind: keyKind(fact.by),
    facts_sequence: place.sequence,
    facts_index: place.index,
  };
}

/** The row that says that a quarantined event was tracked after all; `undefined` for an event that never was set aside. */
export function releaseRow(fact: EventTracked, place: FactOrigin): RowFor<'quarantine_releases'> | undefined {
  if (fact.release === undefined) return undefined;
  return {
    game_id: fact.game,
    environment: fact.environment,
    player_id: fact.entityId,
    event_id: fact.eventId,
    event_name: fact.eventName,
    quarantine_number: fact.release.number,
    quarantined_at: timeText(fact.release.quarantinedAt),
    received_at: timeText(fact.at),
    facts_sequence: place.sequence,
    facts_index: place.index,
  };
}
