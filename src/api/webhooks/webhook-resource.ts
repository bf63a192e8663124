import { Type, type Static } from 'typebox';
import type { FilterCondition, WebhookDocument } from '../../../actors/vocabulary/documents.ts';
import { FILTER_OPERATORS } from '../../../streams/config/webhook-kinds.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { formatTimestamp } from '../../kernel/timestamp.ts';
import { nameOf, orNull } from '../definitions/definition-fields.ts';
import { timeOut } from '../fields.ts';

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

const Name = nameOf("For lists; the URL's host when left out.");
const Url = Type.String({ minLength: 1, maxLength: LIMITS.webhookUrlLength, description: 'The receiving endpoint.' });
const Events = Type.Array(Type.String({ minLength: 1, maxLength: LIMITS.nameLength + 'event.'.length }), {
  minItems: 1,
  maxItems: LIMITS.webhookEvents,
  description: 'Event kinds to forward: `event.level_up` or `level_up`, `event.*`, `player.*`, `*`.',
});
const Enabled = Type.Boolean({ description: 'Whether it is delivered to; true when left out.' });
const headers = {
  type: 'object',
  maxProperties: LIMITS.webhookHeaders,
  additionalProperties: { type: 'string', maxLength: LIMITS.webhookHeaderLength },
  description: 'Extra headers sent with each delivery.',
} as const;
const RetryPolicy = Type.Object(
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
  {
    additionalProperties: false,
    description:
      'How failed deliveries are retried. A delay is counted from the end of the failed attempt: after an attempt that timed out, ' +
      'the first retry of `exponential` comes 60 s plus the time-out (30 s by default) after that attempt began.',
  },
);
const filters = {
  type: 'object',
  maxProperties: LIMITS.webhookFilters,
  propertyNames: { type: 'string', minLength: 1, maxLength: 2 * LIMITS.nameLength },
  additionalProperties: condition,
  description: 'Property path (`properties.amount`) to condition; delivered only when all hold.',
} as const;
type Headers = Record<string, string>;
type Filters = Record<string, FilterCondition>;

const secretOf = (description: string) =>
  Type.String({ minLength: 1, maxLength: LIMITS.webhookSecretLength, description });

/** A webhook as callers configure it. Unknown fields are refused: an ignored filter would misfire. */
export const WebhookBody = Type.Object(
  {
    name: Type.Optional(Name),
    url: Url,
    events: Events,
    enabled: Type.Optional(Enabled),
    headers: Type.Optional(Type.Unsafe<Headers>(headers)),
    retry_policy: Type.Optional(RetryPolicy),
    filters: Type.Optional(Type.Unsafe<Filters>(filters)),
    secret: Type.Optional(secretOf('Signing secret. When left out one is made. Only this answer shows it.')),
  },
  { additionalProperties: false, description: 'A webhook configuration.' },
);

export type WebhookBody = Static<typeof WebhookBody>;

/** What changes of a webhook. */
export const WebhookPatch = Type.Object(
  {
    name: orNull(Name),
    url: Type.Optional(Url),
    events: Type.Optional(Events),
    enabled: orNull(Enabled),
    headers: Type.Optional(Type.Unsafe<Headers | null>({ ...headers, type: ['object', 'null'] })),
    retry_policy: orNull(RetryPolicy),
    filters: Type.Optional(Type.Unsafe<Filters | null>({ ...filters, type: ['object', 'null'] })),
    secret: Type.Optional(secretOf('Another signing secret, as by rotate-secret.')),
  },
  { additionalProperties: false, description: 'Merged over the webhook field by field; null: as when left out.' },
);

export type WebhookPatch = Static<typeof WebhookPatch>;

/** What a rotation takes. */
export const RotationBody = Type.Object(
  { secret: Type.Optional(secretOf('The new secret; when left out one is made.')) },
  { additionalProperties: false, description: 'May be empty, or left out.' },
);

export type RotationBody = Static<typeof RotationBody>;

const shownFields = {
  webhook_id: Type.String({ description: 'Id of the webhook.' }),
  name: Name,
  url: Url,
  events: Events,
  enabled: Enabled,
  headers: Type.Unsafe<Headers>(headers),
  retry_policy: RetryPolicy,
  filters: Type.Unsafe<Filters>(filters),
  disabled: Type.Optional(
    Type.Object(
      {
        at: timeOut('When.'),
        reason: Type.Unsafe<'gone' | 'failing'>({
          type: 'string',
          enum: ['gone', 'failing'],
          description: '`gone`: the receiver answered 410. `failing`: for days no attempt succeeded.',
        }),
      },
      { description: 'There when the service disabled it by itself; enabling it again takes it away.' },
    ),
  ),
  created_at: timeOut('When it was created.'),
  version: Type.Integer({ description: 'Counts changes, from 1.' }),
};

/** A webhook as it is shown. */
export const Webhook = Type.Object(shownFields, { description: 'A webhook.' });

/** A webhook as the answer to its creation shows it. */
export const WebhookWithSecret = Type.Object(
  { ...shownFields, secret: secretOf('The signing secret: shown here only.') },
  { description: 'A webhook with its secret.' },
);

/** A webhook as the answer to a rotation shows it. */
export const WebhookRotated = Type.Object(
  {
    ...shownFields,
    secret: secretOf('The new signing secret: shown here only.'),
    previous_secret_until: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      format: 'date-time',
      description:
        'Until when deliveries are signed with the secret before as well. ISO 8601, UTC; null: there is none.',
    }),
  },
  { description: 'A webhook with its new secret.' },
);

/** A webhook as JSON text, without its secret. */
export function webhookJson(webhook: WebhookDocument): string {
  return JSON.stringify(shown(webhook));
}

/** With its secret: only for the answer to its creation. */
export function createdWebhookJson(webhook: WebhookDocument): string {
  return JSON.stringify({ ...shown(webhook), secret: webhook.secret });
}

/** With its new secret: only for the answer to a rotation. */
export function rotatedWebhookJson(webhook: WebhookDocument): string {
  const { secret, previousSecret } = webhook;
  const until = previousSecret === undefined ? null : formatTimestamp(previousSecret.until);
  return JSON.stringify({ ...shown(webhook), secret, previous_secret_until: until });
}

function shown(webhook: WebhookDocument): Static<typeof Webhook> {
  const { disabled } = webhook;
  return {
    webhook_id: webhook.id,
    name: webhook.name,
    url: webhook.url,
    events: webhook.events,
    enabled: webhook.enabled,
    headers: webhook.headers,
    retry_policy: { max_retries: webhook.retryPolicy.maxRetries, backoff: webhook.retryPolicy.backoff },
    filters: webhook.filters,
    ...(disabled === undefined ? {} : { disabled: { at: formatTimestamp(disabled.at), reason: disabled.reason } }),
    created_at: formatTimestamp(webhook.createdAt),
    version: webhook.version,
  };
}

export const WEBHOOK_BODY_EXAMPLE = {
  name: 'Purchases',
  url: 'https://hooks.example.com/purchases',
  events: ['purchase_completed'],
  enabled: true,
  headers: { 'X-Team': 'economy' },
  retry_policy: { max_retries: 3, backoff: 'exponential' as const },
  filters: { 'properties.amount': { gte: 10 } },
};

export const WEBHOOK_EXAMPLE = {
  webhook_id: 'wh_019bc0de-1234-7abc-8def-0123456789ab',
  ...WEBHOOK_BODY_EXAMPLE,
  created_at: '2026-01-15T10:30:00.000Z',
  version: 1,
};

export const SECRET_EXAMPLE = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
