import { Type } from 'typebox';
import { failure } from '../../../core/kernel/errors.ts';
import { answer } from '../route/answer.ts';
import { clickHouseUnavailable } from '../route/clickhouse-unavailable.ts';
import { defineRoute } from '../route/route.ts';
import { DeliveryById, webhooks } from './webhooks.ts';

/* The route that shows what a delivery sends. */

export const getDeliveryPayload = defineRoute({
  ...webhooks.shared,
  limitClass: 'events',
  role: 'viewer',
  scope: 'read',
  audit: {
    kind: 'webhook',
    action: 'payload_read',
    key: 'id',
    reads: true,
  },
  approval: 'none',
  method: 'GET',
  path: `${webhooks.itemPath}/deliveries/{delivery_id}/payload`,
  summary: 'Get the payload of a delivery',
  description:
    'Makes the payload again from the log, as the first attempt sent it. Later attempts differ in ' +
    '`metadata.delivery_attempt` only. The delivery must be listed in `deliveries` and still be in the log.',
  errors: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  input: {
    params: DeliveryById,
  },
  reply: {
    description: 'The payload.',
    schema: Type.Object(
      {
        webhook_id: Type.String({ description: 'Id of the webhook.' }),
        delivery_id: Type.String({ description: 'Id of the delivery.' }),
        payload: Type.Unsafe<Record<string, unknown>>({ type: 'object', description: 'The body of the request.' }),
      },
      { description: 'The payload of a delivery.' },
    ),
    example: {
      webhook_id: 'wh_019bc0de-1234-7abc-8def-0123456789ab',
      delivery_id: '3f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11',
      payload: {
        id: '3f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11',
        type: 'event.level_up',
        timestamp: '2026-01-15T10:30:00.512Z',
        data: { player_id: '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11', event_name: 'level_up', properties: { level: 4 } },
        metadata: { webhook_id: 'wh_019bc0de-1234-7abc-8def-0123456789ab', delivery_attempt: 1 },
      },
    },
  },
  action: {
    kind: 'service',
    async call({ params }, context) {
      const entry = webhooks.find(params.id, context);
      if (entry === undefined) return webhooks.missing();
      const { key, services } = context;
      const { game, environment } = key;
      const deliveryId = params.delivery_id.toLowerCase();
      const place = await services.analytics.deliveredFact({ game, environment, webhookId: params.id, deliveryId });
      if (place.kind === 'unavailable') return clickHouseUnavailable();
      if (place.value === undefined)
        return failure('NOT_FOUND', 'The webhook has no attempt of this delivery; see its `deliveries`.');
      const made = await services.webhookOperations.payload(entry, place.value);
      switch (made.kind) {
        case 'found': {
          const named = JSON.stringify({ webhook_id: params.id, delivery_id: deliveryId });
          return answer(`${named.slice(0, -1)},"payload":${made.body}}`);
        }
        case 'gone':
          return failure('NOT_FOUND', 'The log no longer contains the delivered event.');
        case 'erased':
          return failure('NOT_FOUND', 'The player of the delivery was erased.');
        case 'unavailable':
          return failure('SERVICE_UNAVAILABLE');
      }
    },
  },
});
