import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import type { WebhookDocument } from '../../../core/vocabulary/documents/documents.ts';
import { WEBHOOK_KINDS } from '../../../core/vocabulary/documents/webhook-kinds.ts';
import { createHttpSender } from '../../../streams/sinks/webhooks/delivery/http/http-sender.ts';
import { sendTest } from '../../../streams/sinks/webhooks/recovery/send-test.ts';
import { signDelivery } from '../../../streams/sinks/webhooks/record/signature.ts';
import { aWebhook } from '../../../streams/sinks/webhooks/testing-webhooks.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { systemIds } from '../../../core/kernel/ids.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../../test/support/wire/webhook-receiver.ts';
import { verifyWebhook, WebhookError, type WebhookEvent, type WebhookFault } from '../server/server.ts';

/* Deliveries of the service's own sender. */

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const OTHER = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const NOW_MS = Date.UTC(2026, 0, 15, 10);

let receiver: WebhookReceiver;
beforeAll(async () => {
  receiver = await startWebhookReceiver();
});
afterAll(() => receiver.stop());

/** Sends a sample of the kind as the service does, over HTTP. */
async function delivered(some: Partial<WebhookDocument>) {
  const sender = createHttpSender({ clock: systemClock, allowPrivateHosts: ['127.0.0.1'] });
  const webhook = aWebhook({ url: receiver.url, secret: SECRET, ...some });
  const terms = { sender, clock: systemClock, ids: systemIds, timeoutMs: 5_000 };
  const tested = await sendTest(terms, 'demo', 'live', webhook);
  sender.close();
  const request = receiver.requests.find(({ headers }) => headers['webhook-id'] === tested.deliveryId);
  if (request === undefined) throw new Error(`not delivered: ${tested.error}`);
  return request;
}

/** A signed delivery without the network. */
function signed(body = '{"id":"1","type":"event.x","data":{},"metadata":{}}', { secret = SECRET, previous = '' } = {}) {
  const before = previous === '' ? undefined : previous;
  return { body, headers: signDelivery(secret, 'd1', NOW_MS / 1000, Buffer.from(body), before) };
}

/** The fault of a delivery that is refused. */
function faultOf(run: () => unknown): WebhookFault | undefined {
  try {
    run();
  } catch (error) {
    if (error instanceof WebhookError) return error.fault;
    throw error;
  }
  return undefined;
}

describe('the verification of webhooks', () => {
  it.each(Object.entries(WEBHOOK_KINDS))(
    'gives the typed event of a real delivery of the kind %s',
    async (kind, { data }) => {
      const { body, headers } = await delivered({ events: [kind === 'event.*' ? 'event.level_up' : kind] });
      const event = verifyWebhook(body, headers, SECRET);
      expect(event).toEqual(JSON.parse(body));
      const always = Object.entries(data).flatMap(([field, shape]) => (shape === 'text or absent' ? [] : [field]));
      expect(Object.keys(event.data)).toEqual(expect.arrayContaining(always));
      if ('player_id' in data) {
        expect(event.data).toMatchObject({ player_id: expect.any(String), external_id: expect.any(String) });
      }
    },
  );

  it('accepts both secrets during a rotation, on both sides', async () => {
    const previousSecret = { secret: OTHER, until: Date.now() + 1_000_000 };
    const { body, headers } = await delivered({ previousSecret });
    for (const secrets of [SECRET, OTHER, [OTHER, SECRET], ['unrelated', SECRET]]) {
      expect(verifyWebhook(body, headers, secrets).type).toMatch(/./);
    }
    expect(faultOf(() => verifyWebhook(body, headers, ['unrelated', 'other']))).toBe('wrong-signature');
  });

  it('takes bytes or text, and headers of Node, fetch and others', () => {
    const { body, headers } = signed('{"id":"1","type":"event.x","data":{"name":"grüße 🎮"},"metadata":{}}');
    const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    for (const given of [headers, lower, new Headers(headers)]) {
      for (const bytes of [body, Buffer.from(body), new TextEncoder().encode(body)]) {
        expect(verifyWebhook(bytes, given, SECRET, { nowMs: NOW_MS }).data).toEqual({ name: 'grüße 🎮' });
      }
    }
  });

  it.each(['just text', 'whsec_not*base64', 'whsec_', 'schlüssel'])(
    'takes the secret %s as the service does',
    (secret) => {
      const { body, headers } = signed(undefined, { secret });
      expect(verifyWebhook(body, headers, secret, { nowMs: NOW_MS }).id).toBe('1');
    },
  );

  it('refuses anything that was changed, moved in time, or signed otherwise', () => {
    const { body, headers } = signed();
    const verify = (text: string, more: object, nowMs = NOW_MS, toleranceMs?: number) =>
      faultOf(() =>
        verifyWebhook(text, { ...headers, ...more }, SECRET, { nowMs, ...(toleranceMs && { toleranceMs }) }),
      );
    expect(verify(body, {})).toBeUndefined();
    expect(verify(`${body} `, {})).toBe('wrong-signature');
    expect(verify(body, { 'webhook-id': 'd2' })).toBe('wrong-signature');
    expect(verify(body, { 'webhook-timestamp': String(NOW_MS / 1000 + 1) })).toBe('wrong-signature');
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
      expect(verify(body, { [name]: undefined })).toBe('missing-header');
    }
    for (const timestamp of ['', ' ', 'x', '-1', '1e3', 'NaN', '1'.repeat(40)]) {
      expect(verify(body, { 'webhook-timestamp': timestamp })).toMatch(/too-old|missing-header/);
    }
    expect(verify(body, {}, NOW_MS + 300_000)).toBeUndefined();
    expect(verify(body, {}, NOW_MS + 300_001)).toBe('too-old');
    expect(verify(body, {}, NOW_MS - 300_001)).toBe('too-new');
    expect(verify(body, {}, NOW_MS + 900_000, 900_000)).toBeUndefined();
    const signature = headers['webhook-signature'];
    for (const other of ['v1,', 'v1', signature.slice(3), `v2,${signature.slice(3)}`, `v1,${'A'.repeat(44)}`, '🎮']) {
      expect(verify(body, { 'webhook-signature': other })).toBe('wrong-signature');
    }
    // The bound on signatures.
    expect(verify(body, { 'webhook-signature': `${'v1,x '.repeat(15)}${signature}` })).toBeUndefined();
    expect(verify(body, { 'webhook-signature': `${'v1,x '.repeat(16)}${signature}` })).toBe('wrong-signature');
  });

  it('needs a secret, and a body that is an event', () => {
    const { body, headers } = signed();
    for (const secrets of ['', [], ['']]) {
      expect(() => verifyWebhook(body, headers, secrets, { nowMs: NOW_MS })).toThrow(TypeError);
    }
    for (const text of ['', 'null', '[]', '{"id":1}', 'x']) {
      const other = signed(text);
      expect(
        faultOf(() => verifyWebhook(text, other.headers, SECRET, { nowMs: NOW_MS })),
        text,
      ).toBe('not-an-event');
    }
  });

  it('tells the form of the data by the type', () => {
    const event: WebhookEvent = JSON.parse('{"type":"player.segment_entered","data":{}}');
    if (event.type === 'player.segment_entered') expectTypeOf(event.data.segment_key).toEqualTypeOf<string>();
    if (event.type === 'player.created') expectTypeOf(event.data.total_revenue).toEqualTypeOf<number>();
    if (event.type === 'flag.evaluated') expectTypeOf(event.data.segment_id).toEqualTypeOf<string | undefined>();
    if (event.type === 'churn.risk_high')
      expectTypeOf(event.data.factors[0]?.factor).toEqualTypeOf<
        'session_decline' | 'playtime_decline' | 'inactivity' | undefined
      >();
    if (event.type === 'event.level_up') expectTypeOf(event.data.event_name).toEqualTypeOf<string>();
  });
});
