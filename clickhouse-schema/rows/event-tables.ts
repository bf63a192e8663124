import type { EventTracked } from '../../actors/vocabulary/event-tracked.ts';
import type { EventQuarantined } from '../../actors/vocabulary/facts.ts';
import { eventSource, keyKind } from '../queries/event-source.ts';
import { timeText } from './column-values.ts';
import { ORIGIN, SCOPE } from './common-columns.ts';
import { factTable } from './table.ts';

/** Tables of accepted, quarantined and released events. */

type EventFact = EventTracked | EventQuarantined;

/** The first columns of both tables: the event as it was sent. */
const EVENT = {
  event_id: (fact: EventFact) => fact.eventId,
  ...SCOPE,
  player_id: (fact: EventFact) => fact.entityId,
  external_id: (fact: EventFact) => fact.externalId,
  event_name: (fact: EventFact) => fact.eventName,
  session_id: (fact: EventFact) => fact.sessionId,
  properties: (fact: EventFact) => fact.properties,
  timestamp: (fact: EventFact) => timeText(fact.timestamp),
  received_at: (fact: EventFact) => timeText(fact.at),
};

const events = factTable(['EventTracked'], (fact) => [fact])({
  placing: 'facts',
  receivedMs: (fact) => fact.at,
  columns: {
    ...EVENT,
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
    ...EVENT,
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
