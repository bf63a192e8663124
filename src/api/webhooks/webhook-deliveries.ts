import { Type, type Static } from 'typebox';
import type { LoggedAttempt } from '../../../clickhouse-schema/queries/webhook-delivery-query.ts';
import { failure } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { formatTimestamp, parseTimestamp } from '../../kernel/timestamp.ts';
import { answer, type Answer } from '../answer.ts';
import { PlayerId, timeIn, timeOut } from '../fields.ts';
import { NextCursor, PageQuery } from '../paging.ts';
import { decodePlace, encodePlace } from '../place-cursor.ts';
import type { RequestContext } from '../request-context.ts';
import { defineRoute, invalid } from '../route.ts';
import { missingWebhook, WebhookById, webhooks } from './webhooks.ts';

const OUTCOMES = ['delivered', 'failed', 'exhausted', 'dropped', 'overflowed'] as const;
const Outcome = Type.Unsafe<(typeof OUTCOMES)[number]>({
  type: 'string',
  enum: OUTCOMES,
  description:
    '`delivered`: any 2xx. `failed`: there will be another attempt. `exhausted`: there will be none. `dropped`: due when the ' +
    'webhook was disabled. `overflowed`: never queued, as too many waited for this webhook or its game.',
});

const DeliveriesQuery = Type.Object({
  outcome: Type.Optional(Outcome),
  from: Type.Optional(timeIn('Only attempts made then or later.')),
  to: Type.Optional(timeIn('Only attempts made before.')),
  ...PageQuery.properties,
});

type DeliveriesQuery = Static<typeof DeliveriesQuery>;

const Attempt = Type.Object(
  {
    delivery_id: Type.String({
      description: 'Id of the delivery, the same for all its attempts: `id` in its payload.',
    }),
    webhook_id: Type.String({ description: 'Id of the webhook.' }),
    kind: Type.String({ description: 'What it tells of: `type` in its payload.' }),
    player_id: PlayerId,
    attempt: Type.Integer({ description: 'Number of the attempt, from 1; 0: none was made.' }),
    attempted_at: timeOut('When it was made.'),
    duration_ms: Type.Integer({ description: 'How long the exchange took, milliseconds.' }),
    outcome: Outcome,
    status: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'HTTP status of the answer; null when there was none.',
    }),
    error: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'Why there was no answer; null when there was one.',
    }),
    response_start: Type.String({ description: "First characters of the answer's body, as the receiver sent them." }),
    url_host: Type.String({ description: 'Host it was sent to.' }),
    next_attempt_at: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      format: 'date-time',
      description: 'When the next attempt is due. ISO 8601, UTC, milliseconds; null when there is none.',
    }),
  },
  { description: 'An attempt to deliver.' },
);

export const listWebhookDeliveries = defineRoute({
  ...webhooks.shared,
  limitClass: 'events',
  method: 'GET',
  path: `${webhooks.itemPath}/deliveries`,
  summary: 'List the attempts to deliver to a webhook',
  description:
    'Newest first, each attempt by itself; a second or two behind. `from` and `to` are half-open. An attempt that a crash cut short is ' +
    'made again under its number, and may be here twice. A cursor belongs to its filters.',
  errors: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  input: { params: WebhookById, query: DeliveriesQuery },
  reply: {
    statuses: [200],
    description: 'Some of the attempts.',
    schema: Type.Object(
      { deliveries: Type.Array(Attempt, { description: 'Attempts of this page.' }), next_cursor: NextCursor },
      { description: 'Attempts to deliver.' },
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
  action: { kind: 'handle', handle: ({ params, query }, context) => list(params.id, query, context) },
});

async function list(webhookId: string, query: DeliveriesQuery, context: RequestContext): Promise<Answer> {
  if (webhooks.find(webhookId, context) === undefined) return missingWebhook();
  const { game, environment } = context.key;
  const { outcome, cursor, limit = LIMITS.pageItemsDefault } = query;
  const sinceMs = query.from === undefined ? undefined : parseTimestamp(query.from);
  const untilMs = query.to === undefined ? undefined : parseTimestamp(query.to);
  if (sinceMs !== undefined && untilMs !== undefined && sinceMs >= untilMs) {
    return invalid([{ path: 'to', message: 'must be later than from' }]);
  }
  const asked = [game, environment, webhookId, outcome, sinceMs, untilMs];
  const behind = cursor === undefined ? undefined : decodePlace(cursor, asked);
  if (cursor !== undefined && behind === undefined) {
    return invalid([{ path: 'cursor', message: 'is not a cursor of this list' }]);
  }
  const filter = { game, environment, webhookId, outcome, sinceMs, untilMs, behind };
  // One more than asked for tells whether there is another page.
  const found = await context.services.analytics.webhookDeliveries({ ...filter, limit: limit + 1 });
  if (found.kind === 'unavailable') return failure('SERVICE_UNAVAILABLE', 'ClickHouse cannot answer just now.');
  const shown = found.value.slice(0, limit);
  const last = shown.at(-1);
  const next = last === undefined || found.value.length <= limit ? null : encodePlace(last.place, asked);
  const deliveries = shown.map((attempt) => attemptShown(webhookId, attempt));
  return answer(JSON.stringify({ deliveries, next_cursor: next }));
}

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
    next_attempt_at: nextAttemptAt === null ? null : formatTimestamp(nextAttemptAt),
  };
}
