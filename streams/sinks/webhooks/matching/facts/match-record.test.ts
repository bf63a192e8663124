import { expect, it } from 'vitest';
import { aCommit, aTrackedEvent } from '../../../testing-commits.ts';
import { matchRecord } from './match-record.ts';
import type { Subscription } from '../subscriptions.ts';

const subscriptionOf = (webhook: string): Subscription => ({
  game: 'demo',
  environment: 'live',
  webhook,
  revision: 1,
  createdRevision: 0,
  filter: undefined,
});

it('a fact’s webhooks with healthy receivers come first, then the failing ones, each group in its order', () => {
  const all = ['failing 1', 'healthy 1', 'failing 2', 'healthy 2'].map(subscriptionOf);
  const place = { created: '2026-01-01T00:00:00Z', sequence: 7 };
  const matched = matchRecord(aCommit([aTrackedEvent()]), place, { wanting: () => all }, (webhook) =>
    webhook.startsWith('healthy'),
  );
  expect([...matched].map(({ webhook }) => webhook)).toEqual(['healthy 1', 'healthy 2', 'failing 1', 'failing 2']);
});
