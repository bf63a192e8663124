import type {
  EventTraceSource,
  InsertedBatch,
  TracedAttempt,
  TracedRow,
  TraceScope,
} from '../../clickhouse-schema/queries/events/event-trace.ts';
import type { Fact } from '../../core/vocabulary/facts/facts.ts';
import { decodeCommit } from '../../core/codec/codec.ts';
import type { Log, LogRecord } from '../../streams/log/log.ts';
import { factPosition, streamTag } from '../../streams/sinks/live/position.ts';
import { readSinkPosition } from '../../streams/positions/positions.ts';
import type { Clock } from '../../core/kernel/clock.ts';
import { findInLog, isReadTo } from './log-search.ts';

/** Where the log holds an event. */
export type LogPlace =
  | { kind: 'held'; partition: string; sequence: number; index: number; storedAtMs: number }
  /** The log no longer holds the record: rows and players are in ClickHouse. */
  | { kind: 'trimmed'; sequence: number; index: number };

/** Where one event went. */
export interface EventTrace {
  /** `accepted`, or `quarantined` by its schema. */
  state: 'accepted' | 'quarantined';
  row: Omit<TracedRow, 'table' | 'insertedMs' | 'loggedPlayerId'>;
  log: LogPlace;
  /** `undefined`: ClickHouse does not hold it yet. */
  inserted: { table: TracedRow['table']; atMs: number; batch: InsertedBatch | undefined } | undefined;
  /** The id of the event on the event stream; `undefined` for events that are not sent. */
  streamId: string | undefined;
  /** Whether its deliveries are queued. */
  matched: boolean;
  attempts: TracedAttempt[];
}

/** The traces of all events with an id; several games may have used it. */
export interface EventTraces {
  found: EventTrace[];
  /** Records of the log that ClickHouse does not hold yet, and whether all of them were searched. */
  behind: number;
  searchedAll: boolean;
}

export interface TraceOptions {
  log: Pick<Log, 'bucket' | 'info' | 'next' | 'read'>;
  clock: Clock;
  source: EventTraceSource;
}

/** Follows an event through the log, ClickHouse and webhooks. Rejects while one of them cannot be read. */
export async function traceEvent(options: TraceOptions, eventId: string, scope: TraceScope): Promise<EventTraces> {
  const { log, source } = options;
  const [position, { created, lastSequence }] = await Promise.all([
    readSinkPosition(log, 'clickhouse'),
    log.info('FACTS'),
  ]);
  const confirmedTo = position?.stream === created ? position.sequence : 0;
  const behind = Math.max(0, lastSequence - confirmedTo);
  const rows = await source.rows(eventId, scope);
  if (rows.length > 0) {
    const found = await Promise.all(rows.map((row) => traceRow(options, row, created)));
    return { found, behind, searchedAll: true };
  }
  const { matches, complete } = await findInLog(options, { from: confirmedTo + 1, to: lastSequence }, (fact) =>
    isWanted(fact, eventId, scope),
  );
  const found = await Promise.all(
    matches.map(({ record, index, fact }) => traceFact(log, record, index, fact, created)),
  );
  return { found: found.flatMap((one) => one ?? []), behind, searchedAll: complete };
}

async function traceRow({ log, source }: TraceOptions, row: TracedRow, created: string): Promise<EventTrace> {
  const [place, batch, attempts, matched] = await Promise.all([
    placeOf(log, row),
    source.batch(row),
    source.attempts(row),
    isReadTo(log, 'webhooks', row.sequence),
  ]);
  const { table, insertedMs, loggedPlayerId: _, ...rest } = row;
  const isStreamed = table === 'events' && row.source !== 'import' && place.kind === 'held';
  return {
    state: table === 'events' ? 'accepted' : 'quarantined',
    row: rest,
    log: place,
    inserted: { table, atMs: insertedMs, batch },
    streamId: isStreamed ? factPosition(streamTag(created), row.sequence, row.index) : undefined,
    matched,
    attempts,
  };
}

/** An event that only the log holds. */
async function traceFact(
  log: TraceOptions['log'],
  record: LogRecord,
  index: number,
  fact: Fact,
  created: string,
): Promise<EventTrace | undefined> {
  if (fact.kind !== 'EventTracked' && fact.kind !== 'EventQuarantined') return undefined;
  const { sequence, storedAtMs } = record;
  const isAccepted = fact.kind === 'EventTracked';
  return {
    state: isAccepted ? 'accepted' : 'quarantined',
    row: {
      game: fact.game,
      environment: fact.environment,
      eventId: fact.eventId,
      eventName: fact.eventName,
      playerId: fact.entityId,
      externalId: fact.externalId,
      source: 'caller',
      timestampMs: fact.timestamp,
      receivedMs: fact.at,
      sequence,
      index,
      reason: isAccepted ? '' : JSON.stringify(fact.reason.faults),
    },
    log: { kind: 'held', partition: partitionOf(record), sequence, index, storedAtMs },
    inserted: undefined,
    streamId: isAccepted ? factPosition(streamTag(created), sequence, index) : undefined,
    matched: await isReadTo(log, 'webhooks', sequence),
    attempts: [],
  };
}

function isWanted(fact: Fact, eventId: string, { game, environment, playerId }: TraceScope): boolean {
  if (fact.kind !== 'EventTracked' && fact.kind !== 'EventQuarantined') return false;
  if (fact.eventId !== eventId || (playerId !== undefined && fact.entityId !== playerId)) return false;
  return (game === undefined || game === fact.game) && (environment === undefined || environment === fact.environment);
}

/** The record of a row. A log that was created anew may hold another record under this sequence. */
async function placeOf(log: TraceOptions['log'], row: TracedRow): Promise<LogPlace> {
  const { sequence, index } = row;
  const record = await log.next('FACTS', 'facts.*', sequence);
  if (record?.sequence !== sequence || !holds(record, row)) return { kind: 'trimmed', sequence, index };
  return { kind: 'held', partition: partitionOf(record), sequence, index, storedAtMs: record.storedAtMs };
}

function holds(record: LogRecord, { index, loggedPlayerId }: TracedRow): boolean {
  const fact = decodeCommit(record.data).facts[index];
  return fact !== undefined && 'entityId' in fact && fact.entityId === loggedPlayerId;
}

const partitionOf = ({ subject }: LogRecord): string => subject.slice('facts.'.length);
