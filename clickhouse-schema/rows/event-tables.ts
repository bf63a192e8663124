import type { EventTracked } from '../../actors/vocabulary/event-tracked.ts';
import type { EventImported } from '../../actors/vocabulary/import-facts.ts';
import type { LifecycleStage } from '../../actors/vocabulary/player.ts';
import { eventSource, keyKind, type RowSender } from '../queries/event-source.ts';
import { ORIGIN, SCOPE } from './common-columns.ts';
import { bool, nullableText, text, time, uint32, uint64, uuid } from './column-types.ts';
import { factTable } from './table.ts';

/** Tables of accepted, quarantined and released events. */

type EventFact = Omit<EventTracked, 'kind' | 'remember' | 'lifecycleStage' | 'isPayer' | 'country' | 'by'>;

/** The first columns of both tables: the event as it was sent. */
const EVENT = {
  event_id: text((fact: EventFact) => fact.eventId),
  ...SCOPE,
  player_id: uuid((fact: EventFact) => fact.entityId),
  external_id: text((fact: EventFact) => fact.externalId),
  event_name: text((fact: EventFact) => fact.eventName),
  session_id: nullableText((fact: EventFact) => fact.sessionId),
  properties: text((fact: EventFact) => fact.properties),
  timestamp: time((fact: EventFact) => fact.timestamp),
  received_at: time((fact: EventFact) => fact.at),
};

interface EventRow extends EventFact {
  lifecycleStage: LifecycleStage | '';
  isPayer: boolean;
  country: string;
  by?: RowSender;
}

/** An imported event as it would have been tracked at its time. Its stage of that time is unknown. */
function eventRow(fact: EventTracked | EventImported): EventRow {
  return fact.kind === 'EventTracked' ? fact : { ...fact, timestamp: fact.at, lifecycleStage: '', by: 'import' };
}

const events = factTable(['EventTracked', 'EventImported'], (fact) => [eventRow(fact)])({
  placing: 'facts',
  receivedMs: (fact) => fact.at,
  columns: {
    ...EVENT,
    lifecycle_stage: text((fact) => fact.lifecycleStage),
    is_payer: bool((fact) => fact.isPayer),
    country: text((fact) => fact.country),
    schema_fault: text((fact) => fact.schemaFault),
    source: text((fact) => eventSource(fact)),
    key_kind: text((fact) => keyKind(fact.by)),
    ...ORIGIN,
  },
});

const quarantined_events = factTable(['EventQuarantined'], (fact) => [fact])({
  placing: 'facts',
  receivedMs: (fact) => fact.at,
  columns: {
    ...EVENT,
    quarantine_number: uint64((fact) => fact.number),
    schema_version: uint32((fact) => fact.reason.schemaVersion),
    reason: text((fact) => JSON.stringify(fact.reason.faults.map(({ path, message }) => ({ path, message })))),
    key_kind: text((fact) => keyKind(fact.by)),
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
    player_id: uuid((fact) => fact.entityId),
    event_id: text((fact) => fact.eventId),
    event_name: text((fact) => fact.eventName),
    quarantine_number: uint64((fact) => fact.release.number),
    quarantined_at: time((fact) => fact.release.quarantinedAt),
    received_at: time((fact) => fact.at),
    ...ORIGIN,
  },
});

export const EVENT_TABLES = { events, quarantined_events, quarantine_releases };
