import { expect, test } from 'vitest';
import { SHARDS, sickWebhooks } from './sick-webhooks.ts';

test('every shard of every game has the same mixture: seven in ten are well, one each hangs, fails and drips', () => {
  const webhooks = sickWebhooks(10);
  expect(webhooks.length).toBe(1_000);
  expect(new Set(webhooks.map(({ place }) => place)).size).toBe(1_000);
  for (let game = 0; game < 10; game++) {
    for (let shard = 0; shard < SHARDS; shard++) {
      const behaviours = webhooks
        .filter((webhook) => webhook.game === game && webhook.shard === shard)
        .map(({ behaviour }) => behaviour)
        .sort();
      const well = Array.from({ length: 14 }, () => 'well');
      expect(behaviours).toEqual(['dripping', 'dripping', 'failing', 'failing', 'hanging', 'hanging', ...well]);
    }
  }
});
