import { expect, it } from 'vitest';
import { isWebhookEventPattern } from './webhook-patterns.ts';

it.each(['*', 'event.*', 'player.*', 'player.created', 'churn.risk_high', 'flag.evaluated', 'campaign.triggered'])(
  'takes a kind of the catalogue or a wildcard: %s',
  (text) => expect(isWebhookEventPattern(text)).toBe(true),
);

it.each(['level_up', 'event.level_up', 'event.player.created', 'level up', 'purchase.completed', '__proto__', '火'])(
  'takes an event by name, with and without prefix: %s',
  (text) => expect(isWebhookEventPattern(text)).toBe(true),
);

it.each(['', 'event.', 'player.craeted', 'flag.*', 'churn.', 'x'.repeat(129), `event.${'x'.repeat(129)}`])(
  'refuses what can never come: %s',
  (text) => expect(isWebhookEventPattern(text)).toBe(false),
);
