import type { Environment } from '../documents/scope.ts';

/** The service disabled a webhook. It belongs to no player. CONFIG holds the same as the webhook's `disabled`. */
export interface WebhookDisabling {
  webhook: string;
  game: string;
  environment: Environment;
  /** `gone`: its receiver returned 410. `failing`: every delivery has failed for days. */
  reason: 'gone' | 'failing';
  /** Epoch milliseconds. */
  disabledAt: number;
}
