import type { WebhookData } from '../../../core/vocabulary/documents/webhook-kinds.ts';

/* The events of webhooks, by type. */

interface Delivered<Type extends string, Data> {
  /** The same for all attempts: skip ids that you have processed. */
  readonly id: string;
  readonly type: Type;
  readonly timestamp: string;
  readonly data: Data;
  readonly metadata: { readonly webhook_id: string; /** From 1. */ readonly delivery_attempt: number };
}

/** An event of a webhook: `type` determines the form of `data`. */
export type WebhookEvent = { [Type in keyof WebhookData]: Delivered<Type, WebhookData[Type]> }[keyof WebhookData];
