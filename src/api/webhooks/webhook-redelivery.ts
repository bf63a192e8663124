import { Type } from 'typebox';
import { failure } from '../../../core/kernel/errors.ts';
import { uuidv5 } from '../../../core/kernel/ids.ts';
import { clickHouseUnavailable } from '../route/clickhouse-unavailable.ts';
import { jsonAnswer } from '../route/answer.ts';
import { claimKey } from '../definitions/definition-writes.ts';
import { defineRoute } from '../route/route.ts';
import { DeliveryById, enabledWebhook, webhooks } from './webhooks.ts';

/* The route that repeats a delivery. */

export const redeliverToWebhook = defineRoute({
  ...webhooks.shared,
  role: 'editor',
  scope: 'operate',
  audit: {
    kind: 'webhook',
    action: 'redelivered',
    key: 'id',
  },
  approval: 'none',
  method: 'POST',
  path: `${webhooks.itemPath}/deliveries/{delivery_id}/redeliver`,
  summary: 'Repeat a delivery',
  description:
    'Queues the delivery with its original id and new attempts from 1, whatever the result of the earlier attempts. ' +
    'It must be listed in `deliveries` and still be in the log. The payload is the original one, even if the event ' +
    'kinds or filters of the webhook have changed. Returns 409 while the webhook is disabled.',
  idempotent: true,
  errors: ['NOT_FOUND', 'CONFLICT', 'SERVICE_UNAVAILABLE'],
  input: {
    params: DeliveryById,
  },
  reply: {
    description: 'The delivery is queued.',
    schema: Type.Object(
      {
        webhook_id: Type.String({ description: 'Id of the webhook.' }),
        delivery_id: Type.String({ description: 'Id of the delivery.' }),
        queued: Type.Boolean({ description: 'Always true; the first attempt follows at once.' }),
      },
      { description: 'A repeated delivery.' },
    ),
    example: {
      webhook_id: 'wh_019bc0de-1234-7abc-8def-0123456789ab',
      delivery_id: '3f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11',
      queued: true,
    },
  },
  action: {
    kind: 'service',
    async call({ params }, context) {
      const webhook = enabledWebhook(params.id, context);
      if (webhook.kind === 'failure') return webhook;
      const { key, services, idempotency, origin } = context;
      const { game, environment } = key;
      const deliveryId = params.delivery_id.toLowerCase();
      const found = await services.analytics.deliveredFact({ game, environment, webhookId: params.id, deliveryId });
      if (found.kind === 'unavailable') return clickHouseUnavailable();
      const place = found.value;
      if (place === undefined)
        return failure('NOT_FOUND', 'The webhook has no attempt of this delivery; see its `deliveries`.');
      const claimed = await claimKey(context);
      if (claimed.kind === 'failure') return claimed;
      // A repeat queues again with the same request id, which has no effect if the first request succeeded.
      const requestId =
        idempotency === undefined
          ? services.ids.uuidv7(origin.receivedAt)
          : uuidv5(REQUEST_IDS, `${key.id}\n${idempotency.key}`);
      const queued = await services.webhookOperations.redeliver(webhook.entry, place, requestId);
      switch (queued.kind) {
        case 'queued':
          return jsonAnswer(
            { webhook_id: params.id, delivery_id: queued.deliveryId, queued: true },
            {
              replayed: claimed.replayed,
            },
          );
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

/** UUID namespace of request ids derived from an Idempotency-Key. */
const REQUEST_IDS = '0d6c2f4b-6a52-4f0e-9a3b-5d7a1c9be804';
