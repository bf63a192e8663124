import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import * as library from 'google-auth-library';
import { beforeEach, describe, expect, it } from 'vitest';
import { createGoogleStore } from './google-store.ts';

/* Google's client against a Google of the test: its token endpoint, its keys and the Android Publisher API. */

const account = generateKeyPairSync('rsa', { modulusLength: 2048 });
const google = generateKeyPairSync('rsa', { modulusLength: 2048 });
const APP = {
  packageName: 'com.example.game',
  clientEmail: 'reader@example.iam.gserviceaccount.com',
  privateKey: account.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  pushAudience: 'https://game.example.com/push',
  pushEmail: 'push@example.iam.gserviceaccount.com',
};
const PURCHASE = {
  kind: 'androidpublisher#productPurchaseV2',
  orderId: 'GPA.3312-4512-1100-55923',
  purchaseStateContext: { purchaseState: 'PURCHASED' },
  productLineItem: [{ productId: 'gems_100', productOfferDetails: { quantity: 1, refundableQuantity: 1 } }],
  purchaseCompletionTime: '2026-01-15T10:30:00Z',
};

let asked: string[];
let answer: { status: number; body: unknown };
let tokens: number;
beforeEach(() => {
  asked = [];
  answer = { status: 200, body: PURCHASE };
  tokens = 200;
});

const json = (status: number, body: unknown) =>
  new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'public, max-age=3600' },
  });
const fetchImplementation: typeof fetch = async (input) => {
  const url = input instanceof Request ? input.url : String(input);
  asked.push(url);
  if (url.includes('oauth2.googleapis.com/token')) {
    return json(tokens, tokens === 200 ? { access_token: 'a', expires_in: 3600 } : { error: 'invalid_grant' });
  }
  if (url.includes('/oauth2/v1/certs')) {
    return json(200, { key1: google.publicKey.export({ type: 'spki', format: 'pem' }) });
  }
  return json(answer.status, answer.body);
};
const store = () => createGoogleStore(library, fetchImplementation);
const proofOf = (body: unknown, environment: 'live' | 'test' = 'live') => {
  answer = { status: 200, body };
  return store().googleReceipt(APP, environment, 'token');
};

describe('a purchase token', () => {
  it('proves order, product and time by what Google Play says of it', async () => {
    expect(await proofOf(PURCHASE)).toEqual({
      kind: 'proven',
      transactionId: 'GPA.3312-4512-1100-55923',
      productId: 'gems_100',
      purchasedAtMs: Date.UTC(2026, 0, 15, 10, 30),
    });
    expect(asked.at(-1)).toBe(
      'https://androidpublisher.googleapis.com/androidpublisher/v3/applications/com.example.game/purchases/productsv2/tokens/token',
    );
  });

  it('stays one part of the address, whatever it has', async () => {
    await store().googleReceipt(APP, 'live', '../../../other?x=/');
    expect(asked.at(-1)).toContain('/tokens/..%2F..%2F..%2Fother%3Fx%3D%2F');
  });

  it.each([
    ['cancelled', { purchaseStateContext: { purchaseState: 'CANCELLED' } }, 'not_purchased'],
    ['without an order', { orderId: undefined }, 'not_purchased'],
    ['of a tester', { testPurchaseContext: { fopType: 'TEST' } }, 'wrong_environment'],
    ['refunded', { productLineItem: [{ productOfferDetails: { refundableQuantity: 0 } }] }, 'refunded'],
    ['without a time', { purchaseCompletionTime: undefined }, 'malformed'],
  ])('of a purchase that is %s is refused', async (_what, fields, reason) => {
    expect(await proofOf({ ...PURCHASE, ...fields })).toEqual({ kind: 'rejected', reason });
  });

  it('of a tester proves in the test environment, and no other does', async () => {
    expect(await proofOf({ ...PURCHASE, testPurchaseContext: {} }, 'test')).toMatchObject({ kind: 'proven' });
    expect(await proofOf(PURCHASE, 'test')).toEqual({ kind: 'rejected', reason: 'wrong_environment' });
  });

  it.each([400, 404, 410])(
    'that Google answers with %d is refused: of another app, made up, or gone',
    async (status) => {
      answer = { status, body: { error: { code: status } } };
      expect(await store().googleReceipt(APP, 'live', 'token')).toEqual({ kind: 'rejected', reason: 'not_purchased' });
    },
  );

  it.each([401, 403, 429, 500, 503])('waits when Google answers %d', async (status) => {
    answer = { status, body: {} };
    expect(await store().googleReceipt(APP, 'live', 'token')).toMatchObject({ kind: 'unavailable' });
  });

  it('waits while it is not paid, while Google gives no answer, and without access', async () => {
    const pending = { ...PURCHASE, purchaseStateContext: { purchaseState: 'PENDING' } };
    expect(await proofOf(pending)).toMatchObject({ kind: 'unavailable' });
    const dead = createGoogleStore(library, async () => {
      throw new TypeError('fetch failed');
    });
    expect(await dead.googleReceipt(APP, 'live', 'token')).toMatchObject({ kind: 'unavailable' });
    tokens = 400;
    expect(await store().googleReceipt(APP, 'live', 'token')).toMatchObject({
      kind: 'unavailable',
      why: 'access of the service account: 400',
    });
  });
});

const NOW = Math.floor(Date.now() / 1000);
const CLAIMS = {
  iss: 'https://accounts.google.com',
  aud: APP.pushAudience,
  email: APP.pushEmail,
  email_verified: true,
  iat: NOW - 10,
  exp: NOW + 3_000,
  sub: '1',
};
function tokenOf(claims: object, header: object = {}, key: KeyObject = google.privateKey): string {
  const text = [{ alg: 'RS256', kid: 'key1', ...header }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
}

describe('a push of Pub/Sub', () => {
  it('is known by a token of Google for the account and the audience', async () => {
    expect(await store().googleSender(APP, tokenOf(CLAIMS))).toEqual({ kind: 'known' });
  });

  it.each([
    ['another account', { email: 'other@example.com' }],
    ['an account that is not verified', { email_verified: false }],
    ['another audience', { aud: 'https://other.example.com' }],
    ['another issuer', { iss: 'https://example.com' }],
    ['a time that is over', { iat: NOW - 9_000, exp: NOW - 5_000 }],
  ])('with %s is unknown', async (_what, claims) => {
    expect(await store().googleSender(APP, tokenOf({ ...CLAIMS, ...claims }))).toEqual({ kind: 'unknown' });
  });

  it('is unknown with a signature of another key, none, or without a key of Google', async () => {
    const [header, payload] = tokenOf(CLAIMS).split('.');
    const none = Buffer.from(JSON.stringify({ alg: 'none', kid: 'key1' })).toString('base64url');
    for (const token of [
      tokenOf(CLAIMS, {}, account.privateKey),
      tokenOf(CLAIMS, { kid: 'key2' }),
      `${header}.${payload}.`,
      `${none}.${payload}.`,
      'token',
      '',
    ])
      expect(await store().googleSender(APP, token)).toEqual({ kind: 'unknown' });
  });

  it('is unknown where the settings take none', async () => {
    const app = { ...APP, pushAudience: null, pushEmail: null };
    expect(await store().googleSender(app, tokenOf(CLAIMS))).toEqual({ kind: 'unknown' });
    expect(asked).toEqual([]);
  });

  it('waits while the keys of Google cannot be read', async () => {
    const dead = createGoogleStore(library, async () => json(500, {}));
    expect(await dead.googleSender(APP, tokenOf(CLAIMS))).toMatchObject({ kind: 'unavailable' });
  });
});
