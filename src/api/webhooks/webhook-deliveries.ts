import { Type } from 'typebox';
import type { LoggedAttempt } from '../../../clickhouse-schema/queries/webhook-delivery-query.ts';

import { API_LIMITS } from '../limits.ts';
import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';
import { formatTimestamp, formatTimestampOrNull, parseTimestamp } from '../../../core/kernel/text/timestamp.ts';
import { jsonAnswer } from '../route/answer.ts';
import { integerOrNull, oneOf, PlayerId, textOrNull, timeIn, timeOrNull, timeOut } from '../input/fields.ts';
import { NextCursor, NOT_A_CURSOR, PageQuery } from '../input/paging.ts';
import { decodePlace, encodePlace } from '../input/place-cursor.ts';

import { defineRoute, invalid, readBy } from '../route/route.ts';
import { WebhookById, webhooks } from './webhooks.ts';

/* The route that lists delivery attempts, from ClickHouse. */

const OUTCOMES = ['delivered', 'failed', 'exhausted', 'dropped', 'overflowed'] as const;
const Outcome = oneOf(
  OUTCOMES,
  '`delivered`: the receiver returned 2xx. `failed`: another attempt will follow. `exhausted`: no further attempt ' +
    'will follow. `dropped`: the webhook was disabled when the attempt was due. `overflowed`: never queued, because ' +
    'the queue of the webhook or the game was full.',
);

const DeliveriesQuery = Type.Object({
  outcome: Type.Optional(Outcome),
  kind: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: TEXT_LIMITS.callerIdLength,
      description: 'Only attempts of this event kind.',
    }),
  ),
  delivery_id: Type.Optional(Type.String({ format: 'uuid', description: 'Only attempts of this delivery.' })),
  from: Type.Optional(timeIn('Only attempts at or after this time.')),
  to: Type.Optional(timeIn('Only attempts before this time.')),
  ...PageQuery.properties,
});

const Attempt = Type.Object(
  {
    delivery_id: Type.String({
      description: 'Id of the delivery, `id` in its payload. All attempts of a delivery have the same id.',
    }),
    webhook_id: Type.String({ description: 'Id of the webhook.' }),
    kind: Type.String({ description: 'Event kind, `type` in the payload.' }),
    player_id: PlayerId,
    attempt: Type.Integer({ description: 'Number of the attempt, from 1; 0 if no attempt was made.' }),
    attempted_at: timeOut('When the attempt was made.'),
    duration_ms: Type.Integer({ description: 'Duration of the request and its response, milliseconds.' }),
    outcome: Outcome,
    status: integerOrNull('HTTP status of the response; null if there was none.'),
    error: textOrNull('Why there was no response; null if there was one.'),
    response_start: Type.String({ description: 'First characters of the response body, as the receiver sent them.' }),
    url_host: Type.String({ description: 'Host of the receiver.' }),
    next_attempt_at: timeOrNull('When the next attempt is due. ISO 8601, UTC, milliseconds; null if there is none.'),
  },
  { description: 'A delivery attempt.' },
);

export const listWebhookDeliveries = defineRoute({
  ...webhooks.shared,
  limitClass: 'events',
  ...readBy('viewer'),
  method: 'GET',
  path: `${webhooks.itemPath}/deliveries`,
  summary: 'List the delivery attempts of a webhook',
  description:
    'Lists every attempt, newest first. Attempts appear one or two seconds after they are made. `from` is inclusive, ' +
    '`to` exclusive. An attempt that a crash interrupted is repeated with the same number and may be listed twice. A ' +
    'cursor is valid only with the same filters.',
  errors: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  input: { params: WebhookById, query: DeliveriesQuery },
  reply: {
    description: 'A page of attempts.',
    schema: Type.Object(
      { deliveries: Type.Array(Attempt, { description: 'Attempts of this page.' }), next_cursor: NextCursor },
      { description: 'A page of delivery attempts.' },
    ),
    example: {
      deliveries: [
        {
          delivery_id: '3f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11',
          webhook_id: 'wh_019bc0de-1234-7abc-8def-0123456789ab',
          kind: 'event.purchase_completed',
          player_id: '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11',
          attempt: 1,
          attempted_at: '2026-01-15T10:30:00.512Z',
          duration_ms: 42,
          outcome: 'failed',
          status: 500,
          error: null,
          response_start: 'out of stock',
          url_host: 'hooks.example.com',
          next_attempt_at: '2026-01-15T10:31:00.554Z',
        },
      ],
      next_cursor: null,
    },
  },
  action: {
    kind: 'analytics',
    rowsOf: 'RECORDS',
    toQuestion({ params, query }, context) {
      const webhookId = params.id;
      if (webhooks.find(webhookId, context) === undefined) return webhooks.missing();
      const { game, environment } = context.key;
      const { outcome, kind, cursor, limit = API_LIMITS.pageItemsDefault } = query;
      const deliveryId = query.delivery_id?.toLowerCase();
      const sinceMs = query.from === undefined ? undefined : parseTimestamp(query.from);
      const untilMs = query.to === undefined ? undefined : parseTimestamp(query.to);
      if (sinceMs !== undefined && untilMs !== undefined && sinceMs >= untilMs) {
        return invalid([{ path: 'to', message: 'must be after `from`' }]);
      }
      const filters = [game, environment, webhookId, outcome, kind, deliveryId, sinceMs, untilMs];
      const behind = cursor === undefined ? undefined : decodePlace(cursor, filters);
      if (cursor !== undefined && behind === undefined) {
        return invalid([{ path: 'cursor', message: NOT_A_CURSOR }]);
      }
      const filter = { game, environment, webhookId, outcome, kind, deliveryId, sinceMs, untilMs, behind };
      return { kind: 'question', question: { filter, filters, limit } };
    },
    // One extra row shows whether there is another page.
    read: (analytics, { filter, limit }) => analytics.webhookDeliveries({ ...filter, limit: limit + 1 }),
    toAnswer(attempts, { filter, filters, limit }) {
      const shown = attempts.slice(0, limit);
      const last = shown.at(-1);
      const next = last === undefined || attempts.length <= limit ? null : encodePlace(last.place, filters);
      const deliveries = shown.map((attempt) => attemptShown(filter.webhookId, attempt));
      return jsonAnswer({ deliveries, next_cursor: next });
    },
  },
});

function attemptShown(webhookId: string, attempt: LoggedAttempt) {
  const { nextAttemptAt } = attempt;
  return {
    delivery_id: attempt.deliveryId,
    webhook_id: webhookId,
    kind: attempt.kind,
    player_id: attempt.playerId,
    attempt: attempt.attempt,
    attempted_at: formatTimestamp(attempt.attemptedAt),
    duration_ms: attempt.durationMs,
    outcome: attempt.outcome,
    status: attempt.status,
    error: attempt.error === '' ? null : attempt.error,
    response_start: attempt.responseStart,
    url_host: attempt.urlHost,
    next_attempt_at: formatTimestampOrNull(nextAttemptAt),
  };
}
