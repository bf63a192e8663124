import { expect, it } from 'vitest';
import { aCommit, aTrackedEvent } from '../../testing.ts';
import { matchRecord } from './matching.ts';
import type { Subscription } from './subscriptions.ts';

const of = (webhook: string): Subscription => ({
  game: 'demo',
  environment: 'live',
  webhook,
  revision: 1,
  createdRevision: 0,
  filter: undefined,
});

it('of the webhooks that want a fact those whose receivers are well come first, each group in its order', () => {
  const all = ['sick 1', 'well 1', 'sick 2', 'well 2'].map(of);
  const place = { created: '2026-01-01T00:00:00Z', sequence: 7 };
  const matched = matchRecord(aCommit([aTrackedEvent()]), place, { wanting: () => all }, (webhook) =>
    webhook.startsWith('well'),
  );
  expect([...matched].map(({ webhook }) => webhook)).toEqual(['well 1', 'well 2', 'sick 1', 'sick 2']);
});
