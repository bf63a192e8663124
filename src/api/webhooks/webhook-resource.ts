import { Type, type Static } from 'typebox';
import type { FilterCondition, WebhookDocument } from '../../../core/vocabulary/documents/documents.ts';
import { HIDDEN, hiddenPath, hiddenValues } from '../../../streams/config/hidden-texts.ts';
import { FILTER_OPERATORS } from '../../../streams/config/webhooks/webhook-patterns.ts';
import { mayAct } from '../route/access.ts';
import type { ApiKey } from '../../access/api-key.ts';
import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';
import { WEBHOOK_LIMITS } from './limits.ts';
import { formatTimestamp, formatTimestampOrNull } from '../../../core/kernel/text/timestamp.ts';
import { BasedOn, MADE_EXAMPLE, madeFields, madeJson, nameOf, orNull } from '../definitions/definition-fields.ts';
import { LABEL_FIELDS, LABELS_EXAMPLE, LABELS_SHOWN, labelsJson } from '../definitions/definition-labels.ts';
import { oneOf, timeOrNull, timeOut } from '../input/fields.ts';
import { WebhookWarnings, webhookWarnings } from './filter-rules.ts';

/* The webhook resource: schemas, JSON texts and examples. Only the texts for creation and rotation have the secret. */

const scalar = { type: ['string', 'number', 'boolean', 'null'] };
const scalars = { type: 'array', items: scalar, minItems: 1, maxItems: WEBHOOK_LIMITS.webhookFilterValues };

/** Schema of each filter operator's operand. */
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
  description: 'Operators with their operands. All must hold.',
  properties: Object.fromEntries(
    Object.entries(OPERANDS).map(([operator, schema]) => [
      operator,
      { ...schema, description: Object.entries(FILTER_OPERATORS).find(([name]) => name === operator)?.[1] ?? '' },
    ]),
  ),
};

const Name = nameOf('Display name. Default: the host of the URL.');
const Url = Type.String({
  minLength: 1,
  maxLength: WEBHOOK_LIMITS.webhookUrlLength,
  description: `URL of the receiver. People below the role admin see \`${HIDDEN}\` instead of its path and query.`,
});
const Events = Type.Array(Type.String({ minLength: 1, maxLength: TEXT_LIMITS.nameLength + 'event.'.length }), {
  minItems: 1,
  maxItems: WEBHOOK_LIMITS.webhookEvents,
  description: 'Event kinds to deliver, for example `event.level_up` or `level_up`, `event.*`, `player.*` or `*`.',
});
const Enabled = Type.Boolean({ description: 'Whether the webhook gets deliveries. Default: true.' });
const headers = {
  type: 'object',
  maxProperties: WEBHOOK_LIMITS.webhookHeaders,
  additionalProperties: { type: 'string', maxLength: WEBHOOK_LIMITS.webhookHeaderLength },
  description:
    `Additional headers of each delivery, by name. Only the response to the creation shows their values; others show ` +
    `\`${HIDDEN}\`, which keeps the value when you send it back.`,
} as const;
const RetryPolicy = Type.Object(
  {
    max_retries: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 10,
        description: 'Number of retries after the first attempt, 0 to 10. Default: 4.',
      }),
    ),
    backoff: Type.Optional(
      oneOf(
        ['exponential', 'linear', 'none'],
        'Delay between attempts: `exponential` (default; 1, 5, 30, then 120 minutes unless configured), `linear` (5 ' +
          'minutes) or `none`.',
      ),
    ),
  },
  {
    additionalProperties: false,
    description:
      'How failed deliveries are retried. A delay starts at the end of the failed attempt: after an attempt that ' +
      'timed out, the first `exponential` retry comes 60 seconds plus the timeout (default: 30 seconds) after that ' +
      'attempt started.',
  },
);
const filters = {
  type: 'object',
  maxProperties: WEBHOOK_LIMITS.webhookFilters,
  propertyNames: { type: 'string', minLength: 1, maxLength: 2 * TEXT_LIMITS.nameLength },
  additionalProperties: condition,
  description: 'Conditions by property path, for example `properties.amount`. An event is delivered only if all hold.',
} as const;
type Headers = Record<string, string>;
type Filters = Record<string, FilterCondition>;

const secretOf = (description: string) =>
  Type.String({ minLength: 1, maxLength: WEBHOOK_LIMITS.webhookSecretLength, description });

/** The body that creates a webhook. Unknown fields are refused, since a misspelt filter would deliver too much. */
export const WebhookBody = Type.Object(
  {
    name: Type.Optional(Name),
    url: Url,
    events: Events,
    enabled: Type.Optional(Enabled),
    headers: Type.Optional(Type.Unsafe<Headers>(headers)),
    retry_policy: Type.Optional(RetryPolicy),
    ...LABEL_FIELDS,
    filters: Type.Optional(Type.Unsafe<Filters>(filters)),
    secret: Type.Optional(
      secretOf('Signing secret. Default: a random one. Only the response to this request shows it.'),
    ),
  },
  { additionalProperties: false, description: 'A webhook configuration.' },
);

export type WebhookBody = Static<typeof WebhookBody>;

/** The body that changes fields of a webhook. */
export const WebhookPatch = Type.Object(
  {
    version: BasedOn,
    name: orNull(Name),
    url: Type.Optional(Url),
    events: Type.Optional(Events),
    enabled: orNull(Enabled),
    headers: Type.Optional(Type.Unsafe<Headers | null>({ ...headers, type: ['object', 'null'] })),
    retry_policy: orNull(RetryPolicy),
    ...LABEL_FIELDS,
    filters: Type.Optional(Type.Unsafe<Filters | null>({ ...filters, type: ['object', 'null'] })),
    secret: Type.Optional(secretOf('New signing secret, with the same effect as rotate-secret.')),
  },
  { additionalProperties: false, description: 'Fields to replace. null sets a field to its default.' },
);

export type WebhookPatch = Static<typeof WebhookPatch>;

/** The body of a rotation. */
export const RotationBody = Type.Object(
  { secret: Type.Optional(secretOf('New signing secret. Default: a random one.')) },
  { additionalProperties: false, description: 'A rotation. The body may be empty or left out.' },
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
        at: timeOut('When the service disabled the webhook.'),
        reason: oneOf(
          ['gone', 'failing'],
          '`gone`: the receiver returned 410. `failing`: all attempts failed for days.',
        ),
      },
      { description: 'Present if the service disabled the webhook. Enabling the webhook removes it.' },
    ),
  ),
  warnings: WebhookWarnings,
  ...LABELS_SHOWN,
  ...madeFields('webhook'),
};

/** A webhook in a response. */
export const Webhook = Type.Object(shownFields, { description: 'A webhook.' });

/** A webhook in the response to its creation. */
export const WebhookWithSecret = Type.Object(
  { ...shownFields, secret: secretOf('Signing secret. Only this response shows it.') },
  { description: 'A webhook with its secret.' },
);

/** A webhook in the response to a rotation. */
export const WebhookRotated = Type.Object(
  {
    ...shownFields,
    secret: secretOf('New signing secret. Only this response shows it.'),
    previous_secret_until: timeOrNull(
      'When the previous secret stops signing deliveries. ISO 8601, UTC, milliseconds; null if there is no ' +
        'previous secret.',
    ),
  },
  { description: 'A webhook with its new secret.' },
);

/**
 * A webhook as JSON text without its secret and the values of its headers.
 * @param key the caller; only API keys and admins see the whole URL, which may contain a secret
 */
export function webhookJson(webhook: WebhookDocument, key?: ApiKey): string {
  const mayReadUrl = key !== undefined && (key.user === undefined || mayAct(key.user.role, 'admin'));
  const url = mayReadUrl ? webhook.url : hiddenPath(webhook.url);
  return JSON.stringify({ ...shown(webhook), url, headers: hiddenValues(webhook.headers) });
}

/** A webhook as JSON text with its secret and headers, for the response to its creation only. */
export function createdWebhookJson(webhook: WebhookDocument): string {
  return JSON.stringify({ ...shown(webhook), secret: webhook.secret });
}

/** A webhook as JSON text with its new secret, for the response to a rotation only. */
export function rotatedWebhookJson(webhook: WebhookDocument): string {
  const { secret, previousSecret } = webhook;
  const until = formatTimestampOrNull(previousSecret?.until);
  return JSON.stringify({
    ...shown(webhook),
    headers: hiddenValues(webhook.headers),
    secret,
    previous_secret_until: until,
  });
}

function shown(webhook: WebhookDocument): Static<typeof Webhook> {
  const { disabled } = webhook;
  const warnings = webhookWarnings(webhook.filters, webhook.events);
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
    ...(warnings.length === 0 ? {} : { warnings }),
    ...labelsJson(webhook),
    ...madeJson({ ...webhook, updatedAt: webhook.updatedAt ?? webhook.createdAt }),
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
  ...LABELS_EXAMPLE,
  ...MADE_EXAMPLE,
};

export const SECRET_EXAMPLE = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
