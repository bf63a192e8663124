import type { WebhookDocument } from '../../../../core/vocabulary/documents/documents.ts';
import { isReservedHeader } from '../../../config/webhooks/webhook-headers.ts';
import type { Delivery } from './delivery.ts';
import { signDelivery } from './signature.ts';

/** The body of one attempt (contract: Webhook delivery payload). `data` is JSON text and is inserted unchanged. */
export function deliveryBody(
  delivery: Pick<Delivery, 'id' | 'type' | 'timestamp' | 'data' | 'webhook' | 'attempt'>,
): Uint8Array {
  return Buffer.from(
    `{"id":${JSON.stringify(delivery.id)},"type":${JSON.stringify(delivery.type)},` +
      `"timestamp":"${new Date(delivery.timestamp).toISOString()}","data":${delivery.data},` +
      `"metadata":{"webhook_id":${JSON.stringify(delivery.webhook)},"delivery_attempt":${delivery.attempt}}}`,
    'utf8',
  );
}

/** The headers of one attempt. The webhook's own headers never replace those that describe or sign the body. */
export function deliveryHeaders(
  delivery: Pick<Delivery, 'id'>,
  webhook: WebhookDocument,
  body: Uint8Array,
  nowMs: number,
): Record<string, string> {
  const own = Object.entries(webhook.headers).filter(([name]) => !isReservedHeader(name));
  const { previousSecret } = webhook;
  const previous = previousSecret !== undefined && nowMs < previousSecret.until ? previousSecret.secret : undefined;
  return {
    ...Object.fromEntries(own),
    'Content-Type': 'application/json',
    'Content-Length': String(body.byteLength),
    'User-Agent': 'player-analytics-webhooks/1',
    ...signDelivery(webhook.secret, delivery.id, Math.floor(nowMs / 1000), body, previous),
  };
}
