import type { EventTracked } from '../../../core/vocabulary/facts/event-tracked.ts';
import type { EventImported, EventsImported } from '../../../core/vocabulary/facts/import-facts.ts';
import { columnsOf, unpackEvents } from '../../../core/vocabulary/facts/packed-events.ts';
import type { LifecycleStage } from '../../../core/vocabulary/state/lifecycle-stages.ts';
import { eventSource, keyKind, type RowSender } from '../event-source.ts';
import { createdMs, ORIGIN, ROW_STEP, SCOPE } from '../common-columns.ts';
import { bool, nullableText, text, texts, time, uint32, uint64, uuid } from '../column-types.ts';
import { factTable, type FactOrigin } from './table.ts';

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
  /** The place among the events of its fact; absent for the first. */
  place?: number;
}

/** Imported events have the values as they would have been tracked at their time. Their stage of it is unknown. */
function eventRows(fact: EventTracked | EventImported | EventsImported): EventRow[] {
  if (fact.kind === 'EventTracked') return [fact];
  const imported = { lifecycleStage: '', by: 'import' } as const;
  if (fact.kind === 'EventImported') return [{ ...fact, timestamp: fact.at, ...imported }];
  const { entityId, game, environment, externalId, country, payerFrom, packed } = fact;
  const base = { entityId, game, environment, externalId, country, ...imported };
  return unpackEvents(packed).map((event, place) => ({
    ...base,
    ...event,
    timestamp: event.at,
    isPayer: place >= payerFrom,
    place,
  }));
}

/** The same rows from the packed columns. */
function importedRun(fact: EventsImported, { stream, sequence, index }: FactOrigin) {
  const { times, noSessions, ids, names, sessions, properties } = columnsOf(fact.packed);
  const { count } = fact.packed;
  const text = (value: string) => ({ value });
  const payers = Math.max(0, count - fact.payerFrom);
  const isPayer = payers === count ? { value: true } : payers === 0 ? { value: false } : undefined;
  return {
    rows: count,
    receivedFromMs: fact.fromAt,
    receivedToMs: fact.toAt,
    columns: {
      event_id: { encoded: ids },
      game_id: text(fact.game),
      environment: text(fact.environment),
      player_id: text(fact.entityId),
      external_id: text(fact.externalId),
      event_name: { encoded: names },
      session_id: { encoded: sessions, nulls: noSessions },
      properties: { encoded: properties },
      timestamp: { encoded: times },
      received_at: { encoded: times },
      lifecycle_stage: text(''),
      is_payer: isPayer ?? { encoded: new Uint8Array(count).fill(1, fact.payerFrom) },
      country: text(fact.country),
      schema_fault: text(''),
      source: text('import'),
      key_kind: text(''),
      facts_sequence: { value: sequence },
      facts_index: { from: index, step: ROW_STEP },
      facts_created: { value: createdMs(stream) },
    },
  };
}

const events = factTable(
  ['EventTracked', 'EventImported', 'EventsImported'],
  eventRows,
)({
  placing: 'facts',
  receivedMs: (fact) => fact.at,
  runOf: (fact, origin) => (fact.kind === 'EventsImported' ? importedRun(fact, origin) : undefined),
  columns: {
    ...EVENT,
    lifecycle_stage: text((fact) => fact.lifecycleStage),
    is_payer: bool((fact) => fact.isPayer),
    country: text((fact) => fact.country),
    schema_fault: text((fact) => fact.schemaFault),
    source: text((fact) => eventSource(fact)),
    key_kind: text((fact) => keyKind(fact.by)),
    ...ORIGIN,
    facts_index: uint32((fact, { index }) => index + ROW_STEP * (fact.place ?? 0)),
    facts_created: uint64(({ by }, { stream }) => (by === 'import' ? createdMs(stream) : 0)),
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
    named: texts((fact) => fact.reason.named ?? []),
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
