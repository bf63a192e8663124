import { array, assert as check, constantFrom, integer, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WebhookDocument } from '../../../core/vocabulary/documents/documents.ts';
import { WEBHOOK_LIMITS } from './limits.ts';
import { changedWebhook, rotatedWebhook, wholeContent } from './webhook-content.ts';

const AT = Date.UTC(2026, 0, 15);

function aWebhook(some: Partial<WebhookDocument> = {}): WebhookDocument {
  return {
    id: 'wh_1',
    ...wholeContent({ url: 'https://hooks.example.com:8443/x', events: ['*'] }),
    secret: 'first',
    createdAt: AT,
    version: 1,
    ...some,
  };
}

describe('a rotated secret', () => {
  it('signs together with the previous one for 24 hours', () => {
    const webhook = rotatedWebhook(aWebhook(), 'second', AT);
    expect(webhook).toMatchObject({ secret: 'second', previousSecret: { secret: 'first', until: AT + 86_400_000 } });
    expect(rotatedWebhook(webhook, 'third', AT + 1)).toMatchObject({
      secret: 'third',
      previousSecret: { secret: 'second', until: AT + 1 + 86_400_000 },
    });
  });

  it('is never its own previous secret, however often it is rotated', () => {
    const rotation = record({
      secret: constantFrom('first', 'second', 'third'),
      afterMs: integer({ min: 0, max: 1e9 }),
    });
    check(
      property(array(rotation, { maxLength: 8 }), (rotations) => {
        let webhook = aWebhook();
        let nowMs = AT;
        for (const { secret, afterMs } of rotations) {
          nowMs += afterMs;
          const before = webhook;
          webhook = rotatedWebhook(webhook, secret, nowMs);
          expect(webhook.secret).toBe(secret);
          expect(webhook.previousSecret?.secret).not.toBe(secret);
          if (secret === before.secret) expect(webhook).toBe(before);
          else {
            const until = nowMs + WEBHOOK_LIMITS.webhookSecretOverlapMs;
            expect(webhook.previousSecret).toEqual({ secret: before.secret, until });
          }
        }
      }),
    );
  });
});

describe('a changed webhook', () => {
  it('keeps missing fields, and null sets a default', () => {
    const held = aWebhook({
      name: 'N',
      enabled: false,
      headers: { 'X-A': '1' },
      retryPolicy: { maxRetries: 2, backoff: 'linear' },
      filters: { 'properties.amount': { gte: 1 } },
    });
    expect(changedWebhook({}, held, AT)).toEqual(held);
    const bare = { name: null, enabled: null, headers: null, retry_policy: null, filters: null };
    expect(changedWebhook(bare, held, AT)).toEqual(aWebhook({ name: 'hooks.example.com:8443' }));
    expect(changedWebhook({ retry_policy: { max_retries: 7 } }, held, AT).retryPolicy).toEqual({
      maxRetries: 7,
      backoff: 'exponential',
    });
    expect(changedWebhook({ url: 'https://other.example.com/', name: null }, held, AT)).toMatchObject({
      name: 'other.example.com',
      url: 'https://other.example.com/',
    });
  });

  it('loses the reason for being disabled only when it is enabled', () => {
    const held = aWebhook({ enabled: false, disabled: { at: AT, reason: 'gone' } });
    expect(changedWebhook({ name: 'other' }, held, AT).disabled).toEqual({ at: AT, reason: 'gone' });
    expect(changedWebhook({ enabled: false }, held, AT).disabled).toEqual({ at: AT, reason: 'gone' });
    for (const enabled of [true, null]) expect('disabled' in changedWebhook({ enabled }, held, AT)).toBe(false);
  });

  it('gets a new secret by rotation', () => {
    expect(changedWebhook({ secret: 'second', name: 'N' }, aWebhook(), AT)).toMatchObject({
      name: 'N',
      secret: 'second',
      previousSecret: { secret: 'first' },
    });
  });
});
