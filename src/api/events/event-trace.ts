import { Type } from 'typebox';
import type { TracedAttempt } from '../../../clickhouse-schema/queries/events/event-trace.ts';
import type { EventTrace } from '../../trace/trace-event.ts';
import { failure } from '../../../core/kernel/errors.ts';
import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';
import { TRACE_LIMITS } from '../../trace/limits.ts';
import { formatTimestamp, formatTimestampOrNull } from '../../../core/kernel/text/timestamp.ts';
import { type Answer, jsonAnswer } from '../route/answer.ts';
import { PlayerId } from '../input/fields.ts';
import type { RequestContext } from '../route/request-context.ts';
import { defineRoute, readBy } from '../route/route.ts';
import { EventTraces, EVENT_TRACE_EXAMPLE } from './event-trace-resource.ts';

/* The route that tells where an event went, as `npm run cli -- trace` does. */

export const traceEventRoute = defineRoute({
  method: 'GET',
  path: '/v1/events/events/{event_id}/trace',
  tag: 'Events',
  summary: 'Tell where an event went',
  description:
    'Follows an event through the service: accepted or quarantined, its record in the log, its row in ClickHouse, its ' +
    'message on the event stream, the attempts of its webhooks. An event that ClickHouse does not hold yet is searched ' +
    'in the log. Rejected events are not stored, and those of erased players are deleted: they have no trace. Send ' +
    '`player_id` if you know it: without it the service reads the ids of all events, and answers 503 after ' +
    `${TRACE_LIMITS.traceRequestSeconds} seconds. A process makes ${TRACE_LIMITS.traceRequests} traces at once, of which a game and ` +
    `a person have ${TRACE_LIMITS.traceRequestsOfCaller}: a further one is answered 429.`,
  auth: { keys: ['server'] },
  limitClass: 'events',
  ...readBy('viewer'),
  errors: ['SERVICE_UNAVAILABLE'],
  input: {
    params: Type.Object({
      event_id: Type.String({
        minLength: 1,
        maxLength: TEXT_LIMITS.callerIdLength,
        description: 'The event_id that the sender sent or the service assigned.',
      }),
    }),
    query: Type.Object({ player_id: Type.Optional(PlayerId) }),
  },
  reply: {
    description: 'The traces: none, one, or several if players used the same id.',
    schema: EventTraces,
    example: EVENT_TRACE_EXAMPLE,
  },
  action: { kind: 'service', call: ({ params, query }, context) => trace(params.event_id, query.player_id, context) },
});

async function trace(eventId: string, playerId: string | undefined, context: RequestContext): Promise<Answer> {
  const { key, services } = context;
  const { game, environment } = key;
  const account = playerId && (await services.merges.accountOf(context.origin, playerId.toLowerCase()));
  if (account && account.kind === 'failure') return account;
  const scope = { game, environment, playerId: account ? account.playerId : undefined };
  const result = await services.eventTracer.trace(eventId, scope, key.user === undefined ? undefined : key.id);
  switch (result.kind) {
    case 'share':
      return failure(
        'RATE_LIMIT_EXCEEDED',
        `The game, or you, has ${TRACE_LIMITS.traceRequestsOfCaller} trace running, its share; retry when it has ended.`,
      );
    case 'busy':
      return failure(
        'SERVICE_UNAVAILABLE',
        `${TRACE_LIMITS.traceRequests} events are being traced, the maximum; retry later.`,
      );
    case 'unavailable':
      return failure(
        'SERVICE_UNAVAILABLE',
        'The log or ClickHouse does not answer in time; send `player_id`, or retry.',
      );
    case 'traced': {
      const { found, behind, searchedAll } = result.traces;
      const traces = found.map((each) => shown(each, context));
      return jsonAnswer({ traces, behind_records: behind, searched_all: searchedAll });
    }
  }
}

function shown({ state, row, log, inserted, streamId, matched, attempts }: EventTrace, context: RequestContext) {
  const batch = inserted?.batch;
  return {
    state,
    event_id: row.eventId,
    event_name: row.eventName,
    player_id: row.playerId,
    external_id: row.externalId,
    source: row.source,
    timestamp: formatTimestamp(row.timestampMs),
    received_at: formatTimestamp(row.receivedMs),
    faults: faultsOf(row.reason),
    log: {
      sequence: log.sequence,
      index: log.index,
      partition: log.kind === 'held' ? log.partition : null,
      appended_at: log.kind === 'held' ? formatTimestamp(log.storedAtMs) : null,
    },
    row:
      inserted === undefined
        ? null
        : {
            table: inserted.table,
            inserted_at: formatTimestamp(inserted.atMs),
            rows_of_insert: batch?.rows ?? null,
          },
    stream_id: streamId ?? null,
    webhooks_matched: matched,
    attempts: attempts.map((attempt) => attemptShown(attempt, context)),
  };
}

function attemptShown(attempt: TracedAttempt, { key, services }: RequestContext) {
  const { game, environment } = key;
  const webhook = services.config.get({ kind: 'webhook', game, environment, key: attempt.webhookId })?.document;
  return {
    webhook_id: attempt.webhookId,
    webhook_name: webhook?.name ?? null,
    delivery_id: attempt.deliveryId,
    attempt: attempt.attempt,
    attempted_at: formatTimestamp(attempt.attemptedMs),
    duration_ms: attempt.durationMs,
    outcome: attempt.outcome,
    status: attempt.status,
    error: attempt.error === '' ? null : attempt.error,
    next_attempt_at: formatTimestampOrNull(attempt.nextAttemptMs),
  };
}

/** The faults of a quarantined event. The service wrote the text. */
function faultsOf(reason: string): { path: string; message: string }[] {
  if (reason === '') return [];
  const faults: { path: string; message: string }[] = JSON.parse(reason);
  return faults;
}
