import { eventSource, keyKind } from '../queries/event-source.ts';
import { timeText } from './column-values.ts';
import { ORIGIN, SCOPE } from './common-columns.ts';
import { factTable } from './table.ts';

/** Tables of accepted, quarantined and released events. */

const events = factTable(['EventTracked'], (fact) => [fact])({
  placing: 'facts',
  receivedMs: (fact) => fact.at,
  columns: {
    event_id: (fact) => fact.eventId,
    ...SCOPE,
    player_id: (fact) => fact.entityId,
    external_id: (fact) => fact.externalId,
    event_name: (fact) => fact.eventName,
    session_id: (fact) => fact.sessionId,
    properties: (fact) => fact.properties,
    timestamp: (fact) => timeText(fact.timestamp),
    received_at: (fact) => timeText(fact.at),
    lifecycle_stage: (fact) => fact.lifecycleStage,
    is_payer: (fact) => fact.isPayer,
    country: (fact) => fact.country,
    schema_fault: (fact) => fact.schemaFault,
    source: (fact) => eventSource(fact),
    key_kind: (fact) => keyKind(fact.by),
    ...ORIGIN,
  },
});

const quarantined_events = factTable(['EventQuarantined'], (fact) => [fact])({
  placing: 'facts',
  receivedMs: (fact) => fact.at,
  columns: {
    event_id: (fact) => fact.eventId,
    ...SCOPE,
    player_id: (fact) => fact.entityId,
    external_id: (fact) => fact.externalId,
    event_name: (fact) => fact.eventName,
    session_id: (fact) => fact.sessionId,
    properties: (fact) => fact.properties,
    timestamp: (fact) => timeText(fact.timestamp),
    received_at: (fact) => timeText(fact.at),
    quarantine_number: (fact) => fact.number,
    schema_version: (fact) => fact.reason.schemaVersion,
    reason: (fact) => JSON.stringify(fact.reason.faults.map(({ path, message }) => ({ path, message }))),
    key_kind: (fact) => keyKind(fact.by),
    ...ORIGIN,
  },
});

const quarantine_releases = factTable(['EventTracked'], (fact) =>
  fact.release === undefined ? [] : [{ ...fact, release: fact.release }],
)({
  placing: 'facts',
  receivedMs: (fact) => fact.at,
  columns: {
    ...SCOPE,
    player_id: (fact) => fact.entityId,
    event_id: (fact) => fact.eventId,
    event_name: (fact) => fact.eventName,
    quarantine_number: (fact) => fact.release.number,
    quarantined_at: (fact) => timeText(fact.release.quarantinedAt),
    received_at: (fact) => timeText(fact.at),
    ...ORIGIN,
  },
});

export const EVENT_TABLES = { events, quarantined_events, quarantine_releases };
