import { Type, type Static } from 'typebox';
import type { FilterCondition, WebhookDocument } from '../../streams/config/documents.ts';
import { FILTER_OPERATORS } from '../../streams/config/webhook-kinds.ts';
import { LIMITS } from '../kernel/limits.ts';
import { formatTimestamp } from '../kernel/timestamp.ts';
import { timeOut } from './fields.ts';

const scalar = { type: ['string', 'number', 'boolean', 'null'] };
const scalars = { type: 'array', items: scalar, minItems: 1, maxItems: LIMITS.webhookFilterValues };

/** What each filter operator compares with. */
const OPERANDS: Record<keyof typeof FILTER_OPERATORS, object> = {
  eq: scalar,
  ne: scalar,
  gt: { type: 'number' },
  gte: { type: 'number' },
  lt: { type: 'number' },
  lte: { type: 'number' },
  in: scalars,
  nin: scalars,
  contains: scalar,
  exists: { type: 'boolean' },
};

const condition = {
  type: 'object',
  additionalProperties: false,
  minProperties: 1,
  description: 'Operators and what they compare with; all must hold.',
  properties: Object.fromEntries(
    Object.entries(OPERANDS).map(([operator, schema]) => [
      operator,
      { ...schema, description: Object.entries(FILTER_OPERATORS).find(([name]) => name === operator)?.[1] ?? '' },
    ]),
  ),
};

const fields = {
  name: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: LIMITS.nameLength,
      description: "For lists; the URL's host when left out.",
    }),
  ),
  url: Type.String({ minLength: 1, maxLength: LIMITS.webhookUrlLength, description: 'The receiving endpoint.' }),
  events: Type.Array(Type.String({ minLength: 1, maxLength: LIMITS.nameLength + 'event.'.length }), {
    minItems: 1,
    maxItems: LIMITS.webhookEvents,
    description: 'Event kinds to forward: `event.level_up` or `level_up`, `event.*`, `player.*`, `*`.',
  }),
  enabled: Type.Optional(Type.Boolean({ description: 'Whether it is delivered to; true when left out.' })),
  headers: Type.Optional(
    Type.Unsafe<Record<string, string>>({
      type: 'object',
      maxProperties: LIMITS.webhookHeaders,
      additionalProperties: { type: 'string', maxLength: LIMITS.webhookHeaderLength },
      description: 'Extra headers sent with each delivery.',
    }),
  ),
  retry_policy: Type.Optional(
    Type.Object(
      {
        max_retries: Type.Optional(
          Type.Integer({ minimum: 0, maximum: 10, description: 'Attempts after the first, 0 to 10; 4 when left out.' }),
        ),
        backoff: Type.Optional(
          Type.Unsafe<WebhookDocument['retryPolicy']['backoff']>({
            type: 'string',
            enum: ['exponential', 'linear', 'none'],
            description: '`exponential` (documented schedule, the default), `linear` (5 min each) or `none`.',
          }),
        ),
      },
      { additionalProperties: false, description: 'How failed deliveries are retried.' },
    ),
  ),
  filters: Type.Optional(
    Type.Unsafe<Record<string, FilterCondition>>({
      type: 'object',
      maxProperties: LIMITS.webhookFilters,
      propertyNames: { type: 'string', minLength: 1, maxLength: 2 * LIMITS.nameLength },
      additionalProperties: condition,
      description: 'Property path (`properties.amount`) to condition; delivered only when all hold.',
    }),
  ),
};

const secret = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: LIMITS.webhookSecretLength,
    description: 'Signing secret. When left out one is made. Shown only in the answer to creation or rotation.',
  }),
);

/** A webhook as callers configure it. Unknown fields are refused: an ignored filter would misfire. */
export const WebhookBody = Type.Object(
  { ...fields, secret },
  { additionalProperties: false, description: 'A webhook configuration.' },
);

export type WebhookBody = Static<typeof WebhookBody>;

/** A webhook as it is shown. */
export const Webhook = Type.Object(
  {
    webhook_id: Type.String({ description: 'Id of the webhook.' }),
    ...fields,
    secret,
    created_at: timeOut('When it was created.'),
    version: Type.Integer({ description: 'Counts changes, from 1.' }),
  },
  { description: 'A webhook.' },
);

/** A webhook as JSON text. @param showSecret only in the answer to its creation or rotation */
export function webhookJson(webhook: WebhookDocument, showSecret: boolean): string {
  return JSON.stringify({
    webhook_id: webhook.id,
    name: webhook.name,
    url: webhook.url,
    events: webhook.events,
    enabled: webhook.enabled,
    headers: webhook.headers,
    retry_policy: { max_retries: webhook.retryPolicy.maxRetries, backoff: webhook.retryPolicy.backoff },
    filters: webhook.filters,
    ...(showSecret ? { secret: webhook.secret } : {}),
    created_at: formatTimestamp(webhook.createdAt),
    version: webhook.version,
  });
}
