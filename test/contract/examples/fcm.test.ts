import { createHmac, createVerify, generateKeyPairSync } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFcm } from '../../../deploy/examples/fcm/fcm-client.ts';
import { createPlayers } from '../../../deploy/examples/fcm/players.ts';
import { createReceiver } from '../../../deploy/examples/fcm/receiver.ts';
import { messageJson } from '../../../core/vocabulary/message.ts';
import {
  startWebhookReceiver,
  type ReceivedRequest,
  type WebhookReceiver,
} from '../../support/wire/webhook-receiver.ts';

/* The example that sends campaigns as push messages, against a fake of FCM, of Google's tokens and of the API. */

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const SECRET = 'whsec_test';
const NOW = Date.UTC(2026, 0, 15, 10);
const CONTENT = {
  title: 'A gift',
  body: 'For you',
  cta: '',
  image: 'https://cdn.example/gift.png',
  deepLink: 'https://game.example/gifts',
  data: '{"coins":5}',
  buttons: [{ id: 'take', label: 'Take', action: 'game://gifts' }],
  locale: 'de',
};
const DATA = {
  player_id: '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11',
  external_id: 'ext-1',
  campaign_key: 'gift',
  intervention_id: 'int_1',
  variant: 'b',
  held_until: null as string | null,
  expires_at: new Date(NOW + 3_600_000).toISOString(),
};
const MESSAGE: object = JSON.parse(messageJson(CONTENT));

let google: WebhookReceiver;
let server: Server;
let url: string;
/** What FCM answers, in turn; at the end always that it took the message. */
let answers: [status: number, body?: string, headers?: Record<string, string>][];
let attributes: Record<string, unknown>;
let tokens: number;
let nowMs: number;
let waited: number[];
let logged: string[];

beforeEach(async () => {
  [answers, attributes, tokens, nowMs, waited, logged] = [[], { push_token: 'device-1' }, 0, NOW, [], []];
  google = await startWebhookReceiver((request, response) => {
    const [status, body, headers = {}] = answerOf(request);
    response.writeHead(status, headers).end(body);
  });
  const base = `http://127.0.0.1:${google.port}`;
  const account = {
    project_id: 'my-game',
    client_email: 'push@my-game.example',
    private_key_id: 'key-1',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    token_uri: `${base}/token`,
  };
  const now = (): number => nowMs;
  const wait = (ms: number): Promise<unknown> => Promise.resolve(waited.push(ms));
  const log = (line: string): void => void logged.push(line);
  const fcm = createFcm({ account, url: base, now, wait, log });
  server = createServer(createReceiver({ secret: SECRET, players: createPlayers(base, 'sk_live_x'), fcm, now, log }));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${Object(server.address()).port}/`;
});
afterEach(async () => {
  await new Promise((resolve) => server.close(resolve));
  await google.stop();
});

function answerOf({ method, path, body }: ReceivedRequest): [number, string?, Record<string, string>?] {
  if (path === '/token') {
    tokens += 1;
    return [200, JSON.stringify({ access_token: `token-${tokens}`, expires_in: 3_600, token_type: 'Bearer' })];
  }
  if (path.startsWith('/v1/players/')) {
    if (method === 'PATCH') attributes = { ...attributes, ...JSON.parse(body).attributes };
    return [200, JSON.stringify({ success: true, data: { attributes } })];
  }
  return answers.shift() ?? [200, '{"name":"projects/my-game/messages/0:1"}'];
}

async function deliver(data: object = {}, { id = 'evt_1', type = 'campaign.triggered', signature = '' } = {}) {
  const body = JSON.stringify({
    id,
    type,
    timestamp: new Date(NOW).toISOString(),
    data: { ...DATA, content: MESSAGE, ...data },
  });
  const signed = `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`;
  const headers = { 'X-Service-Signature': signature === '' ? signed : signature };
  const response = await fetch(url, { method: 'POST', body, headers });
  return { status: response.status, retryAfter: response.headers.get('Retry-After') };
}
const sends = () => google.requests.filter(({ path }) => path.endsWith(':send'));
const sentTo = (place: number) => JSON.parse(sends()[place]?.body ?? '{}').message;

describe('a campaign as a push message', () => {
  it('is sent once, with its texts, links, buttons and data, under a token for a signed JWT', async () => {
    expect(await deliver()).toEqual({ status: 200, retryAfter: null });
    expect(await deliver()).toEqual({ status: 200, retryAfter: null });
    const [request, ...more] = sends();
    expect([request?.path, request?.headers.authorization, more]).toEqual([
      '/v1/projects/my-game/messages:send',
      'Bearer token-1',
      [],
    ]);
    expect(sentTo(0)).toEqual({
      token: 'device-1',
      notification: { title: 'A gift', body: 'For you', image: 'https://cdn.example/gift.png' },
      data: {
        intervention_id: 'int_1',
        campaign_key: 'gift',
        variant: 'b',
        deep_link: 'https://game.example/gifts',
        buttons: JSON.stringify(CONTENT.buttons),
        data: '{"coins":5}',
      },
      android: { ttl: '3600s', notification: { tag: 'int_1' } },
      apns: { headers: { 'apns-collapse-id': 'int_1', 'apns-expiration': String((NOW + 3_600_000) / 1_000) } },
      webpush: { fcm_options: { link: 'https://game.example/gifts' } },
    });
    const form = new URLSearchParams(google.requests.find(({ path }) => path === '/token')?.body);
    expect(form.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
    const [header = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.');
    expect(createVerify('RSA-SHA256').update(`${header}.${claims}`).verify(publicKey, signature, 'base64url')).toBe(
      true,
    );
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'key-1' });
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toEqual({
      iss: 'push@my-game.example',
      scope: 'https://www.googleapis.com/auth/firebase.messaging',
      aud: `http://127.0.0.1:${google.port}/token`,
      iat: NOW / 1_000,
      exp: NOW / 1_000 + 3_600,
    });
  });

  it('is not sent without a genuine signature, or of another kind', async () => {
    expect((await deliver({}, { signature: `sha256=${'0'.repeat(64)}` })).status).toBe(401);
    expect((await deliver({}, { signature: 'x' })).status).toBe(401);
    expect((await deliver({}, { type: 'player.created' })).status).toBe(200);
    expect(google.requests).toEqual([]);
  });

  it('waits for the end of quiet hours, and is dropped once it has expired', async () => {
    const held_until = new Date(NOW + 5 * 3_600_000).toISOString();
    expect(await deliver({ held_until })).toEqual({ status: 503, retryAfter: '7200' });
    expect(await deliver({ held_until: new Date(NOW + 90_000).toISOString() })).toEqual({
      status: 503,
      retryAfter: '90',
    });
    nowMs = NOW + 3_600_000;
    expect(await deliver({ held_until })).toEqual({ status: 200, retryAfter: null });
    expect(sends()).toEqual([]);
  });

  it('is not sent to a player without a device, and a device that is gone is forgotten', async () => {
    answers = [[404, JSON.stringify({ error: { code: 404, details: [{ errorCode: 'UNREGISTERED' }] } })]];
    expect((await deliver()).status).toBe(200);
    expect(attributes).toEqual({ push_token: null });
    expect((await deliver({}, { id: 'evt_2' })).status).toBe(200);
    expect(sends()).toHaveLength(1);
  });

  it('keeps the device at a 404 of another reason, and at another status that names it', async () => {
    answers = [
      [404, JSON.stringify({ error: { code: 404, message: 'Project my-game not found.', status: 'NOT_FOUND' } })],
      [400, JSON.stringify({ error: { code: 400, details: [{ errorCode: 'UNREGISTERED' }] } })],
    ];
    expect((await deliver()).status).toBe(200);
    expect((await deliver({}, { id: 'evt_2' })).status).toBe(200);
    expect(attributes).toEqual({ push_token: 'device-1' });
    expect(logged).toHaveLength(2);
  });

  it('is sent again with another token if the first one is refused', async () => {
    answers = [[401, '{}']];
    expect((await deliver()).status).toBe(200);
    expect(sends().map(({ headers }) => headers.authorization)).toEqual(['Bearer token-1', 'Bearer token-2']);
  });

  it('uses one token until shortly before its end', async () => {
    await deliver();
    nowMs += 54 * 60_000;
    await deliver({}, { id: 'evt_2' });
    nowMs += 2 * 60_000;
    await deliver({}, { id: 'evt_3' });
    expect(sends().map(({ headers }) => headers.authorization)).toEqual([
      'Bearer token-1',
      'Bearer token-1',
      'Bearer token-2',
    ]);
  });

  it('is tried three times, then left to the retries of the webhook', async () => {
    answers = [[503], [500], [429, '', { 'Retry-After': '30' }]];
    expect(await deliver()).toEqual({ status: 503, retryAfter: '30' });
    expect([sends().length, waited]).toEqual([3, [1_000, 2_000]]);
    expect((await deliver()).status).toBe(200);
    expect(sends()).toHaveLength(4);
  });

  it('is left to the webhook at once if FCM asks for a long pause', async () => {
    answers = [[429, '', { 'Retry-After': '600' }]];
    expect(await deliver()).toEqual({ status: 503, retryAfter: '600' });
    expect([sends().length, waited]).toEqual([1, []]);
  });

  it('is not repeated if FCM refuses it', async () => {
    answers = [[400, '{"error":{"status":"INVALID_ARGUMENT"}}']];
    expect((await deliver()).status).toBe(200);
    expect(sends()).toHaveLength(1);
    expect(logged).toEqual(['FCM refused int_1: 400 {"error":{"status":"INVALID_ARGUMENT"}}']);
  });

  it('is sent without what does not fit into 4,096 bytes', async () => {
    const content = JSON.parse(
      messageJson({ ...CONTENT, body: 'b'.repeat(2_000), data: `{"x":"${'y'.repeat(3_000)}"}` }),
    );
    expect((await deliver({ content })).status).toBe(200);
    expect(sentTo(0).notification.body).toBe('b'.repeat(500));
    expect(Object.keys(sentTo(0).data)).toEqual(['intervention_id', 'campaign_key', 'variant', 'deep_link']);
    expect((await deliver({ content: null }, { id: 'evt_2' })).status).toBe(200);
    expect(sends()).toHaveLength(1);
  });
});
