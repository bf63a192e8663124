import { Type } from 'typebox';
import type { ConfigEntry } from '../../../streams/config/config-store.ts';
import { isWebhookEventPattern } from '../../../streams/config/webhooks/webhook-patterns.ts';
import type { TestSample } from '../../../streams/webhook-operations.ts';
import { failure } from '../../../core/kernel/errors.ts';
import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';
import { WEBHOOK_LIMITS } from './limits.ts';
import { type Answer, jsonAnswer } from '../route/answer.ts';
import type { RequestContext } from '../route/request-context.ts';
import { documentText, documentTooLarge } from '../input/document-text.ts';
import { freeForm, integerOrNull, textOrNull } from '../input/fields.ts';
import { defineRoute, invalid, type KeyedRoute } from '../route/route.ts';
import { eventFaults } from './webhook-rules.ts';
import { WebhookById, webhooks } from './webhooks.ts';

/* The route that sends a test delivery. */

/** The route that sends a test delivery. */
export function testWebhookRoute(): KeyedRoute {
  /** Number of running test deliveries in this process. */
  let testing = 0;

  return defineRoute({
    ...webhooks.shared,
    role: 'editor',
    scope: 'operate',
    audit: { kind: 'webhook', action: 'tested', key: 'id' },
    approval: 'none',
    method: 'POST',
    path: `${webhooks.itemPath}/test`,
    summary: 'Send a test delivery',
    description:
      "Sends a sample of the webhook's first event kind, or of `kind`, at once, also while the webhook is disabled. The " +
      'sample is about the player `sample-player`, which does not exist, and is signed like any delivery. It is sent ' +
      'whether the kinds and filters take it or not: `would_be_delivered` and `unmet_filters` say that. A failed ' +
      'delivery is reported in the response; it is neither retried nor listed in `deliveries`.',
    readsOnly: true,
    bodyOptional: true,
    errors: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
    input: { params: WebhookById, body: Sample },
    example: { kind: 'event.purchase_completed', properties: { amount: 12 } },
    reply: {
      description: 'The result of the test delivery.',
      schema: Tested,
      example: TESTED_EXAMPLE,
    },
    action: {
      kind: 'service',
      async call({ params, body }, context) {
        const entry = webhooks.find(params.id, context);
        if (entry === undefined) return webhooks.missing();
        const { kind, properties } = body;
        if (kind !== undefined && !isWebhookEventPattern(kind)) {
          return invalid(eventFaults([kind]).map(({ message }) => ({ path: '/kind', message })));
        }
        const text = properties === undefined ? undefined : documentText(properties);
        if (properties !== undefined && text === undefined) return documentTooLarge('/properties');
        if (testing >= WEBHOOK_LIMITS.webhookTests)
          return failure(
            'SERVICE_UNAVAILABLE',
            `${WEBHOOK_LIMITS.webhookTests} test deliveries are running, the maximum; retry later.`,
          );
        testing += 1;
        try {
          return await test(entry, { kind, properties: text }, context);
        } finally {
          testing -= 1;
        }
      },
    },
  });
}

const Sample = Type.Object(
  {
    kind: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: TEXT_LIMITS.nameLength + 'event.'.length,
        description: "Kind of the sample, for example `event.level_up`. Default: the webhook's first.",
      }),
    ),
    properties: Type.Optional(freeForm('Properties of the sample, if it is an event.')),
  },
  { additionalProperties: false, description: 'A sample. The body may be left out.' },
);

const Tested = Type.Object(
  {
    webhook_id: Type.String({ description: 'Id of the webhook.' }),
    delivery_id: Type.String({ description: 'Id of the delivery, `id` in its payload.' }),
    kind: Type.String({ description: 'Event kind of the sample, `type` in its payload.' }),
    would_be_delivered: Type.Boolean({ description: 'Whether the kinds and filters of the webhook take the sample.' }),
    unmet_filters: Type.Array(Type.String(), {
      description: 'The paths of filters that do not hold for the sample.',
    }),
    delivered: Type.Boolean({ description: 'Whether the receiver returned 2xx.' }),
    status: integerOrNull('HTTP status of the response; null if there was none.'),
    duration_ms: Type.Integer({ description: 'Duration of the request and its response, milliseconds.' }),
    error: textOrNull('Why there was no response; null if there was one.'),
    response_start: Type.String({ description: 'First characters of the response body, as the receiver sent them.' }),
  },
  { description: 'A test delivery.' },
);

const TESTED_EXAMPLE = {
  webhook_id: 'wh_019bc0de-1234-7abc-8def-0123456789ab',
  delivery_id: '3f0f5a3e-8d7b-4c39-9a43-0d6f0e9c2b11',
  kind: 'event.purchase_completed',
  would_be_delivered: true,
  unmet_filters: [],
  delivered: false,
  status: 500,
  duration_ms: 42,
  error: null,
  response_start: 'out of stock',
};

async function test(
  webhook: ConfigEntry<'webhook'>,
  sample: TestSample,
  { services }: RequestContext,
): Promise<Answer> {
  const tested = await services.webhookOperations.test(webhook, sample);
  return jsonAnswer({
    webhook_id: webhook.key,
    delivery_id: tested.deliveryId,
    kind: tested.type,
    would_be_delivered: tested.subscribed && tested.unmetFilters.length === 0,
    unmet_filters: tested.unmetFilters,
    delivered: tested.delivered,
    status: tested.status,
    duration_ms: Math.round(tested.durationMs),
    error: tested.error,
    response_start: tested.responseStart,
  });
}
