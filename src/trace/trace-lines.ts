import type { TracedAttempt } from '../../clickhouse-schema/queries/events/event-trace.ts';
import { formatTimestamp } from '../../core/kernel/text/timestamp.ts';
import type { EventTrace, EventTraces } from './trace-event.ts';

/* Traces as text for people. Times follow the first one as "+412 ms". */

/** @param nameOf the name of a webhook */
export function traceLines(trace: EventTrace, nameOf: (webhookId: string) => string): string[] {
  const { row, state } = trace;
  const after = (atMs: number): string => `${atMs >= row.receivedMs ? '+' : ''}${atMs - row.receivedMs} ms`;
  const line = (step: string, when: string, what: string): string => `${step.padEnd(12)}${when.padEnd(26)}${what}`;
  return [
    line(
      'event',
      `${row.eventId} `,
      `${row.eventName} of ${row.externalId} (${row.playerId}), ${row.game} ${row.environment}`,
    ),
    line(state, formatTimestamp(row.receivedMs), acceptedText(trace)),
    appendedLine(trace),
    insertedLine(trace),
    ...(trace.streamId === undefined ? [] : [line('stream', '', `id ${trace.streamId}, sent once it was appended`)]),
    ...deliveryLines(trace),
  ];

  function appendedLine({ log }: EventTrace): string {
    const place = `record ${log.sequence} of FACTS, fact ${log.index}`;
    if (log.kind === 'trimmed') return line('appended', '', `${place}; the log has trimmed it`);
    return line('appended', after(log.storedAtMs), `${place}, partition ${log.partition}`);
  }

  function insertedLine({ inserted }: EventTrace): string {
    if (inserted === undefined) return line('row', '', 'not in ClickHouse yet');
    const { table, atMs, batch } = inserted;
    if (batch === undefined) return line('row', after(atMs), `in ${table}`);
    const rows = `${batch.rows} row${batch.rows === 1 ? '' : 's'}`;
    return line('row', after(atMs), `in ${table}, one of ${rows} of records ${batch.fromSequence}-${batch.toSequence}`);
  }

  function deliveryLines({ attempts, matched }: EventTrace): string[] {
    if (!matched) return [line('webhooks', '', 'not matched yet: deliveries follow')];
    if (attempts.length === 0) {
      return [line('webhooks', '', state === 'quarantined' ? 'none: it is no event yet' : 'no attempt is recorded')];
    }
    return attempts.map((attempt) => line('webhook', after(attempt.attemptedMs), attemptText(attempt)));
  }

  function attemptText({
    webhookId,
    attempt,
    outcome,
    status,
    error,
    urlHost,
    durationMs,
    ...rest
  }: TracedAttempt): string {
    const answer = status === null ? error : `${status} of ${urlHost} after ${durationMs} ms`;
    const next = rest.nextAttemptMs === undefined ? '' : `; next ${formatTimestamp(rest.nextAttemptMs)}`;
    return `${nameOf(webhookId)} (${webhookId}), attempt ${attempt}: ${outcome}, ${answer}${next}`;
  }
}

function acceptedText({ state, row }: EventTrace): string {
  if (state === 'quarantined') return `its schema refused it: ${row.reason}`;
  const device = row.timestampMs === row.receivedMs ? '' : `; its own time is ${formatTimestamp(row.timestampMs)}`;
  return `by ${row.source === 'import' ? 'an import' : `a ${row.source}`}${device}`;
}

/** What to tell of an id that no event has. */
export function notFoundText(eventId: string, { behind, searchedAll }: EventTraces): string {
  const searched = searchedAll
    ? 'ClickHouse and the log hold no event'
    : `ClickHouse holds no event, and of the ${behind} records that it lacks not all were searched, none`;
  return (
    `${searched} with the id ${eventId}. An event that was rejected is not stored: its answer named the faults. A ` +
    'duplicate was stored under its id once. Events of an erased player are deleted.'
  );
}
