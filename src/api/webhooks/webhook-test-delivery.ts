import { Type } from 'typebox';
import type { ConfigEntry } from '../../../streams/config/config-store.ts';
import { failure } from '../../kernel/errors.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { answer, type Answer } from '../answer.ts';
import type { RequestContext } from '../request-context.ts';
import { defineRoute, type KeyedRoute } from '../route.ts';
import { missingWebhook, WebhookById, webhooks } from './webhooks.ts';

/* The route that sends a test delivery. */

/** The route that sends a test delivery. */
export function testWebhookRoute(): KeyedRoute {
  /** Number of running test deliveries in this process. */
  let testing = 0;

  return defineRoute({
    ...webhooks.shared,
    method: 'POST',
    path: `${webhooks.itemPath}/test`,
    summary: 'Send a test delivery',
    description:
      "Sends a sample of the webhook's first event kind at once, also while the webhook is disabled. The sample is " +
      'about the player `sample-player`, which does not exist, and is signed like any delivery. Filters are ignored. ' +
      'A failed delivery is reported in the response; it is neither retried nor listed in `deliveries`.',
    readsOnly: true,
    errors: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
    input: { params: WebhookById },
    reply: {
      statuses: [200],
      description: 'The result of the test delivery.',
      schema: Tested,
      example: TESTED_EXAMPLE,
    },
    action: {
      kind: 'service',
      async call({ params }, context) {
        const entry = webhooks.find(params.id, context);
        if (entry === undefined) return missingWebhook();
        if (testing >= LIMITS.webhookTests)
          return failure(
            'SERVICE_UNAVAILABLE',
            `${LIMITS.webhookTests} test deliveries are running, the maximum; retry later.`,
          );
        testing += 1;
        try {
          return await test(entry, context);
        } finally {
          testing -= 1;
        }
      },
    },
  });
}

const Tested = Type.Object(
  {
    webhook_id: Type.String({ description: 'Id of the webhook.' }),
    delivery_id: Type.String({ description: 'Id of the delivery, `id` in its payload.' }),
    kind: Type.String({ description: 'Event kind of the sample, `type` in its payload.' }),
    delivered: Type.Boolean({ description: 'Whether the receiver returned 2xx.' }),
    status: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'HTTP status of the response; null if there was none.',
    }),
    duration_ms: Type.Integer({ description: 'Duration of the request and its response, milliseconds.' }),
    error: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'Why there was no response; null if there was one.',
    }),
    response_start: Type.String({ description: 'First characters of the response body, as the receiver sent them.' }),
  },
  { description: 'A test delivery.' },
);

const TESTED_EXAMPLE = {
  webhook_id: 'wh_019bc0de-1234-7abc-8def-0123456789ab',
  delivery_id: '3f0f5a3e-8d7b-4c39-9a43-0d6f0e9c2b11',
  kind: 'event.purchase_completed',
  delivered: false,
  status: 500,
  duration_ms: 42,
  error: null,
  response_start: 'out of stock',
};

async function test(webhook: ConfigEntry<'webhook'>, { services }: RequestContext): Promise<Answer> {
  const tested = await services.webhookOperations.test(webhook);
  return answer(
    JSON.stringify({
      webhook_id: webhook.key,
      delivery_id: tested.deliveryId,
      kind: tested.type,
      delivered: tested.delivered,
      status: tested.status,
      duration_ms: Math.round(tested.durationMs),
      error: tested.error,
      response_start: tested.responseStart,
    }),
  );
}
