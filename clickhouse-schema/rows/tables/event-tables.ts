import { NEW_CONTEXT, type EventContext } from '../../../core/vocabulary/facts/event-context.ts';
import type { EventTracked } from '../../../core/vocabulary/facts/event-tracked.ts';
import type { EventImported, EventsImported } from '../../../core/vocabulary/facts/import-facts.ts';
import { columnsOf, unpackEvents } from '../../../core/vocabulary/facts/packed-events.ts';
import { EXTRACTED_COLUMNS, extracted } from '../../extracted-properties.ts';
import { eventSource, keyKind, type RowSender } from '../event-source.ts';
import { createdMs, ORIGIN, ROW_STEP, SCOPE } from '../common-columns.ts';
import type { ColumnRun } from '../column-writers.ts';
import { bool, nullableText, text, texts, time, uint32, uint64, uuid, type Column } from '../column-types.ts';
import { factTable, type FactOrigin } from './table.ts';

/** Tables of accepted, quarantined and released events. */

type EventFact = Omit<EventTracked, 'kind' | 'remember' | 'by' | keyof EventContext>;

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

interface EventRow extends EventFact, Omit<EventContext, 'lifecycleStage'> {
  lifecycleStage: EventContext['lifecycleStage'] | '';
  by?: RowSender;
  /** The place among the events of its fact; absent for the first. */
  place?: number;
  extracted?: readonly string[];
}

/** Imported events have the values as they would have been tracked at their time. Their stage of it is unknown. */
function eventRows(fact: EventTracked | EventImported | EventsImported): EventRow[] {
  if (fact.kind === 'EventTracked') return [fact];
  const imported = { ...NEW_CONTEXT, lifecycleStage: '', by: 'import' } as const;
  if (fact.kind === 'EventImported') return [{ ...imported, ...fact, timestamp: fact.at }];
  const { entityId, game, environment, externalId, country, payerFrom, packed } = fact;
  const { platform = '', appVersion = '', build = '' } = fact.playedWith ?? {};
  const said = { ...imported, country, platform, appVersion, build };
  const base = { ...said, entityId, game, environment, externalId };
  return unpackEvents(packed).map((event, place) => ({
    ...base,
    ...event,
    timestamp: event.at,
    isPayer: place >= payerFrom,
    place,
  }));
}

/** Columns of what an event says of its player: for each field its name, its value, and its values in a run. */
const CONTEXT: Readonly<
  Record<
    keyof EventContext,
    readonly [name: string, column: Column<[fact: EventRow]>, ofRun: (fact: EventsImported) => ColumnRun]
  >
> = {
  lifecycleStage: ['lifecycle_stage', text((fact) => fact.lifecycleStage), () => ({ value: '' })],
  isPayer: ['is_payer', bool((fact) => fact.isPayer), payersOfRun],
  country: ['country', text((fact) => fact.country), ({ country }) => ({ value: country })],
  platform: ['platform', text((fact) => fact.platform), ({ playedWith }) => ({ value: playedWith?.platform ?? '' })],
  appVersion: [
    'app_version',
    text((fact) => fact.appVersion),
    ({ playedWith }) => ({ value: playedWith?.appVersion ?? '' }),
  ],
  build: ['build', text((fact) => fact.build), ({ playedWith }) => ({ value: playedWith?.build ?? '' })],
};

function payersOfRun({ packed: { count }, payerFrom }: EventsImported): ColumnRun {
  if (payerFrom <= 0 || payerFrom >= count) return { value: payerFrom < count };
  return { encoded: new Uint8Array(count).fill(1, payerFrom) };
}

/** The same with the values of properties that have columns of their own. */
function extractedRows(fact: Parameters<typeof eventRows>[0], { extractedOf }: FactOrigin): EventRow[] {
  const rows = eventRows(fact);
  const paths = extractedOf?.(fact.game) ?? [];
  return paths.length === 0 ? rows : rows.map((row) => ({ ...row, extracted: extracted(row.properties, paths) }));
}

/** The same rows from the packed columns, unless values are extracted: this takes each event by itself. */
function importedRun(fact: EventsImported, { stream, sequence, index, extractedOf }: FactOrigin) {
  if ((extractedOf?.(fact.game).length ?? 0) > 0) return undefined;
  const { times, noSessions, ids, names, sessions, properties } = columnsOf(fact.packed);
  const { count } = fact.packed;
  const text = (value: string) => ({ value });
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
      ...Object.fromEntries(Object.values(CONTEXT).map(([name, , ofRun]) => [name, ofRun(fact)])),
      schema_fault: text(''),
      source: text('import'),
      key_kind: text(''),
      facts_sequence: { value: sequence },
      facts_index: { from: index, step: ROW_STEP },
      facts_created: { value: createdMs(stream) },
      ...Object.fromEntries(EXTRACTED_COLUMNS.map((name) => [name, text('')])),
    },
  };
}

const events = factTable(
  ['EventTracked', 'EventImported', 'EventsImported'],
  extractedRows,
)({
  placing: 'facts',
  onMerge: 'update',
  receivedMs: (fact) => fact.at,
  runOf: (fact, origin) => (fact.kind === 'EventsImported' ? importedRun(fact, origin) : undefined),
  columns: {
    ...EVENT,
    ...Object.fromEntries(Object.values(CONTEXT).map(([name, column]) => [name, column])),
    schema_fault: text((fact) => fact.schemaFault),
    source: text((fact) => eventSource(fact)),
    key_kind: text((fact) => keyKind(fact.by)),
    ...ORIGIN,
    facts_index: uint32((fact, { index }) => index + ROW_STEP * (fact.place ?? 0)),
    facts_created: uint64(({ by }, { stream }) => (by === 'import' ? createdMs(stream) : 0)),
    ...Object.fromEntries(
      EXTRACTED_COLUMNS.map((name, place) => [name, text((fact: EventRow) => fact.extracted?.[place])]),
    ),
  },
});

const quarantined_events = factTable(['EventQuarantined'], (fact) => [fact])({
  placing: 'facts',
  onMerge: 'update',
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
  onMerge: 'update',
  receivedMs: (fact) => fact.at,
  columns: {
    ...SCOPE,
    player_id: uuid((fact) => fact.entityId),
    event_id: text((fact) => fact.eventId),
    event_name: text((fact) => fact.eventName),
    quarantine_number: uint64((fact) => fact.release.number),
    quarantined_as: uuid((fact) => fact.release.guestId ?? fact.entityId),
    quarantined_at: time((fact) => fact.release.quarantinedAt),
    received_at: time((fact) => fact.at),
    ...ORIGIN,
  },
});

export const EVENT_TABLES = { events, quarantined_events, quarantine_releases };
