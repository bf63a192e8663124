import type { Environment } from '../../actors/vocabulary/scope.ts';

/** The service disabled a webhook by itself: a fact that belongs to no player. CONFIG holds the same as the webhook's `disabled`. */
export interface WebhookDisabling {
  webhook: string;
  game: string;
  environment: Environment;
  /** `gone`: its receiver answered 410. `failing`: for days there were only failures. */
  reason: 'gone' | 'failing';
  /** Epoch milliseconds. */
  disabledAt: number;
}
