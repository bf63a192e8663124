import * as library from '@apple/app-store-server-library';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { generateKeyPairSync } from 'node:crypto';
import { systemClock } from '../../../core/kernel/clock.ts';
import { digestOf } from '../../../core/kernel/secrets/digest.ts';
import { createAppleStore } from '../../../src/receipts/apple-store.ts';
import type { Proof, Sender } from '../../../src/receipts/store-verifier.ts';
import { createMemoryBroker } from '../../../streams/log/memory/log-memory.ts';
import { createReceiptClaims } from '../../../src/receipts/receipt-claims.ts';
import { createDecidingBackend, type DecidingBackend } from '../../support/in-memory/deciding-backend.ts';
import { type Gateway, startGateway } from '../../support/in-memory/http-gateway.ts';
import { openAppStore } from '../../support/stores/app-store.ts';
import { until } from '../../support/until.ts';
import { bodyOf } from '../../support/wire/api-body.ts';

/* Receipts from the request to the revenue: real signatures of an App Store of the test, and answers of Google Play. */

const appStore = openAppStore();
const broker = createMemoryBroker({ clock: systemClock });
let google: (token: string) => Proof;
let sender: Sender;
let backend: DecidingBackend;
let gateway: Gateway;
let server: string;
let client: string;
let test: string;
let notify: string;

const PEM = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' });
const STORES = {
  apple: { bundle_id: 'com.example.game', app_apple_id: 1_234 },
  google: {
    package_name: 'com.example.game',
    service_account: { client_email: 'reader@example.iam.gserviceaccount.com', private_key: PEM },
    notifications: { audience: 'https://example.com', service_account: 'push@example.com' },
  },
};

beforeAll(async () => {
  backend = createDecidingBackend(systemClock);
  gateway = await startGateway({
    backend,
    log: broker.connect('gateway'),
    stores: {
      ...createAppleStore(library, [appStore.root]),
      googleReceipt: async (_app, _environment, payload) => google(payload),
      googleSender: async () => sender,
    },
  });
  server = await gateway.key();
  client = await gateway.key({ kind: 'client' });
  test = await gateway.key({ environment: 'test' });
  notify = await gateway.key({ scopes: ['notify'] });
  for (const key of [server, test]) expect((await call('PUT', '/v1/settings/stores', STORES, key)).status).toBe(200);
});
afterAll(() => gateway.close());

/** @param key `null`: none in the headers */
async function call(
  method: string,
  path: string,
  body?: unknown,
  key: string | null = server,
  headers: Record<string, string> = {},
) {
  const response = await gateway.call(key ?? undefined, method, path, body, headers);
  const { data, error } = await bodyOf(response);
  return { status: response.status, data, error };
}

let made = 0;
let player: string;
async function register(key = server): Promise<string> {
  const { data } = await call('POST', '/v1/players/players', { external_id: `buyer-${(made += 1)}` }, key);
  return String(data['id']);
}
let transactionId: string;
beforeEach(async () => {
  google = () => ({ kind: 'unavailable', why: 'no answer' });
  sender = { kind: 'known' };
  player = await register();
  transactionId = `20000${made}`;
  await revenueIs('all');
});

const revenueIs = async (revenue: string) =>
  expect((await call('PATCH', '/v1/settings', { revenue })).status).toBe(200);

interface Bought {
  payload: string;
  store?: string;
  of?: string;
  id?: string;
  key?: string;
}
const buy = ({ payload, store = 'apple', of = player, id = transactionId, key = client }: Bought) =>
  call(
    'POST',
    `/v1/players/players/${of}/purchase?amount=9.99&product_id=gems_100&transaction_id=${id}`,
    { receipt: { store, payload } },
    key,
  );
/** Buys, and asks again until the receipt is decided. */
async function decided(bought: Bought) {
  expect((await buy(bought)).status).toBe(200);
  return until('the receipt is decided', async () => {
    const { data } = await buy(bought);
    return data.state === 'pending' ? undefined : data;
  });
}
const paid = () => appStore.transaction({ transactionId });
const totalsOf = async (id = player, key = server) => {
  const { data } = await call('GET', `/v1/players/players/${id}`, undefined, key);
  return [Number(data['total_revenue']), data['is_payer']] as const;
};

describe('a purchase with a receipt of the App Store', () => {
  it('is pending in the answer, counts, and is verified after it', async () => {
    const first = await buy({ payload: paid() });
    expect(first.data).toMatchObject({ amount: 9.99, total_revenue: 9.99, is_payer: true, state: 'pending' });
    expect(await decided({ payload: paid() })).toMatchObject({ state: 'verified', total_revenue: 9.99 });
    expect(await totalsOf()).toEqual([9.99, true]);
  });

  it('counts once it is verified where only verified purchases count, in all totals', async () => {
    await revenueIs('verified');
    const google0 = await buy({ payload: 'token', store: 'google', id: 'GPA.1' });
    expect(google0.data).toMatchObject({ state: 'pending', total_revenue: 0, purchase_count: 0, is_payer: false });
    expect(await totalsOf()).toEqual([0, false]);
    expect(await decided({ payload: paid() })).toMatchObject({ state: 'verified', total_revenue: 9.99 });
    expect(await totalsOf()).toEqual([9.99, true]);
    const events = backend.facts.filter((fact) => fact.kind === 'EventTracked' && fact.entityId === player);
    expect(events.map((fact) => 'eventName' in fact && fact.eventName)).toEqual(['purchase', 'purchase_verified']);
  });

  it.each([
    ['forged', () => openAppStore().transaction({ transactionId }), 'invalid_signature'],
    ['of another app', () => appStore.transaction({ transactionId, bundleId: 'com.other' }), 'wrong_app'],
    ['of the sandbox', () => appStore.transaction({ transactionId, environment: 'Sandbox' }), 'wrong_environment'],
    ['of another transaction', () => appStore.transaction({ transactionId: '1' }), 'wrong_transaction'],
    ['refunded', () => appStore.transaction({ transactionId, revocationDate: 1 }), 'refunded'],
    ['of two years ago', () => appStore.transaction({ transactionId, purchaseDate: Date.now() - 6.4e10 }), 'too_old'],
    ['no receipt at all', () => 'x', 'malformed'],
  ])('that is %s is rejected with the reason and counts nothing', async (_what, payload, reason) => {
    expect(await decided({ payload: payload() })).toMatchObject({ state: 'rejected', reason, total_revenue: 0 });
    expect(await totalsOf()).toEqual([0, false]);
  });

  it('of the sandbox counts in the test environment', async () => {
    const tester = await register(test);
    const payload = appStore.transaction({ transactionId, environment: 'Sandbox' });
    expect(await decided({ payload, of: tester, key: test })).toMatchObject({ state: 'verified' });
    expect(await totalsOf(tester, test)).toEqual([9.99, true]);
  });

  it('counts for the first of two players, and the second is rejected', async () => {
    expect(await decided({ payload: paid() })).toMatchObject({ state: 'verified' });
    const other = await register();
    expect(await decided({ payload: paid(), of: other })).toMatchObject({
      state: 'rejected',
      reason: 'used_by_another_player',
    });
    expect([await totalsOf(), await totalsOf(other)]).toEqual([
      [9.99, true],
      [0, false],
    ]);
  });

  it('counts for one of many players who send it at once', async () => {
    const others = await Promise.all(Array.from({ length: 12 }, () => register()));
    const states = await Promise.all(others.map((of) => decided({ payload: paid(), of })));
    expect(states.filter(({ state }) => state === 'verified')).toHaveLength(1);
    const totals = await Promise.all(others.map((of) => totalsOf(of)));
    expect(totals.filter(([revenue]) => revenue > 0)).toHaveLength(1);
  });

  it('replayed under another transaction_id of the same player is rejected', async () => {
    expect(await decided({ payload: paid() })).toMatchObject({ state: 'verified' });
    expect(await decided({ payload: paid(), id: 'mine' })).toMatchObject({ reason: 'wrong_transaction' });
    expect(await totalsOf()).toEqual([9.99, true]);
  });

  it('stays verified when a forged one of the same transaction follows', async () => {
    expect(await decided({ payload: paid() })).toMatchObject({ state: 'verified' });
    expect((await buy({ payload: 'forged' })).data).toMatchObject({ state: 'verified' });
    expect(await totalsOf()).toEqual([9.99, true]);
  });

  it('that was rejected is verified by a valid one', async () => {
    expect(await decided({ payload: 'x' })).toMatchObject({ state: 'rejected' });
    await buy({ payload: paid() });
    await until('it is verified', async () => (await buy({ payload: paid() })).data.state === 'verified');
    expect(await totalsOf()).toEqual([9.99, true]);
  });
});

describe('a purchase with a receipt of Google Play', () => {
  it('is verified by what the store says of its token', async () => {
    google = () => ({ kind: 'proven', transactionId, productId: 'gems_100', purchasedAtMs: Date.now() });
    expect(await decided({ payload: 'token', store: 'google' })).toMatchObject({ state: 'verified' });
  });

  it('with the order of another purchase is rejected', async () => {
    google = () => ({ kind: 'proven', transactionId: 'GPA.9', productId: 'gems_100', purchasedAtMs: Date.now() });
    expect(await decided({ payload: 'token', store: 'google' })).toMatchObject({ reason: 'wrong_transaction' });
  });
});

describe('a request with a receipt', () => {
  it('needs a transaction_id, a known store and a text', async () => {
    const path = `/v1/players/players/${player}/purchase?amount=9.99`;
    const receipt = { store: 'apple', payload: 'x' };
    expect(await call('POST', path, { receipt })).toMatchObject({ status: 400 });
    for (const wrong of [{ ...receipt, store: 'steam' }, { store: 'apple' }, { ...receipt, payload: '' }, 'x'])
      expect((await call('POST', `${path}&transaction_id=1`, { receipt: wrong })).status).toBe(400);
    const long = { ...receipt, payload: 'x'.repeat(16_001) };
    expect((await call('POST', `${path}&transaction_id=1`, { receipt: long })).status).toBe(400);
    expect(await totalsOf()).toEqual([0, false]);
  });

  it('is refused where the store is not set up, and records nothing', async () => {
    const other = await gateway.key({ game: 'other' });
    const { data } = await call('POST', '/v1/players/players', { external_id: 'x' }, other);
    const of = String(data['id']);
    const refused = await buy({ payload: 'x', of, key: other });
    expect(refused).toMatchObject({ status: 409, error: { code: 'CONFLICT' } });
    expect(await totalsOf(of, other)).toEqual([0, false]);
  });

  it('without a body, and with an empty one, records as before', async () => {
    const path = `/v1/players/players/${player}/purchase?amount=1`;
    expect((await call('POST', path)).data).toMatchObject({ state: 'recorded', is_payer: true });
    expect((await call('POST', path, {})).data).toMatchObject({ state: 'recorded', total_revenue: 2 });
  });
});

describe('a notification of the App Store', () => {
  const send = (signedPayload: string, key = notify) =>
    call('POST', `/v1/integrations/stores/apple/${key}`, { signedPayload }, null);

  it('refunds the purchase of the player who has it, once', async () => {
    await decided({ payload: paid() });
    const refund = appStore.refund({ transactionId });
    for (let n = 0; n < 3; n += 1) expect((await send(refund)).data).toEqual({ handled: 'refunded' });
    expect(await totalsOf()).toEqual([0, false]);
    expect((await buy({ payload: paid() })).data).toMatchObject({ state: 'refunded' });
    expect(backend.facts.filter((fact) => fact.kind === 'PurchaseRefunded' && fact.entityId === player)).toHaveLength(
      1,
    );
  });

  it('refunds the share that the store paid back', async () => {
    await decided({ payload: paid() });
    const part = appStore.refund({ transactionId, revocationPercentage: 50_000 });
    for (let n = 0; n < 2; n += 1) expect((await send(part)).data).toEqual({ handled: 'refunded' });
    expect(await totalsOf()).toEqual([4.995, true]);
  });

  it('that another signed, of another app or environment is refused and changes nothing', async () => {
    await decided({ payload: paid() });
    const data = { bundleId: 'com.other', appAppleId: 1_234, environment: 'Production' };
    for (const payload of [openAppStore().refund({ transactionId }), appStore.refund({}, { data }), 'x'])
      expect(await send(payload)).toMatchObject({ status: 403, error: { code: 'FORBIDDEN' } });
    expect((await send(appStore.refund({ transactionId }), test)).status).toBe(403);
    expect(await totalsOf()).toEqual([9.99, true]);
  });

  it('of an unknown transaction is asked for again for a day, and then is unknown', async () => {
    expect((await send(appStore.refund({ transactionId: 'new' }))).status).toBe(503);
    const old = appStore.refund({ transactionId: 'old', purchaseDate: Date.now() - 3 * 86_400_000 });
    expect((await send(old)).data).toEqual({ handled: 'unknown' });
  });

  it('of another kind is taken and changes nothing', async () => {
    expect((await send(appStore.refund({}, { notificationType: 'TEST' }))).data).toEqual({ handled: 'ignored' });
  });

  it('needs a key with the scope, which may do nothing else', async () => {
    const tracker = await gateway.key({ scopes: ['track'] });
    expect((await send(appStore.refund(), tracker)).status).toBe(403);
    expect((await send(appStore.refund(), 'sk_live_none')).status).toBe(401);
    expect((await call('GET', `/v1/players/players/${player}`, undefined, notify)).status).toBe(403);
  });
});

describe('a notification of Google Play', () => {
  const push = (said: object, token: string | undefined = 'token', key = notify) =>
    call(
      'POST',
      `/v1/integrations/stores/google/${key}`,
      { message: { data: Buffer.from(JSON.stringify(said)).toString('base64'), messageId: '1' }, subscription: 's' },
      null,
      token === '' ? {} : { Authorization: `Bearer ${token}` },
    );
  const voided = (fields: object = {}) => ({
    packageName: 'com.example.game',
    eventTimeMillis: String(Date.now()),
    voidedPurchaseNotification: { orderId: transactionId, productType: 2, refundType: 1, ...fields },
  });

  it('of a voided purchase refunds it, once', async () => {
    google = () => ({ kind: 'proven', transactionId, productId: null, purchasedAtMs: Date.now() });
    await decided({ payload: 'token', store: 'google' });
    for (let n = 0; n < 3; n += 1) expect((await push(voided())).data).toEqual({ handled: 'refunded' });
    expect(await totalsOf()).toEqual([0, false]);
  });

  it('without a token of Google is refused', async () => {
    expect((await push(voided(), '')).status).toBe(403);
    sender = { kind: 'unknown' };
    expect((await push(voided())).status).toBe(403);
    sender = { kind: 'unavailable', why: '' };
    expect((await push(voided())).status).toBe(503);
  });

  it('of another app, of pieces, or of something else is ignored', async () => {
    expect((await push({ ...voided(), packageName: 'com.other' })).data).toEqual({ handled: 'ignored' });
    expect((await push(voided({ refundType: 2 }))).data).toEqual({ handled: 'ignored' });
    expect((await push({ packageName: 'com.example.game', testNotification: {} })).data).toEqual({
      handled: 'ignored',
    });
  });
});

describe('an erasure', () => {
  it('takes the player out of its transactions, which stay taken', async () => {
    await decided({ payload: paid() });
    const transaction = { game: 'demo', environment: 'live', store: 'apple', digest: digestOf(transactionId) } as const;
    const claims = createReceiptClaims(broker.connect('test'), systemClock);
    expect(await claims.holderOf(transaction)).toEqual({ kind: 'held', by: player });
    expect((await call('DELETE', `/v1/players/players/${player}`)).status).toBe(200);
    expect(await claims.holderOf(transaction)).toEqual({ kind: 'held', by: null });
    const again = await register();
    expect(await decided({ payload: paid(), of: again })).toMatchObject({ reason: 'used_by_another_player' });
  });
});

describe('the settings of stores', () => {
  it('never show the key of the service account, and keep it when it is sent back', async () => {
    const { data } = await call('GET', '/v1/settings/stores');
    expect(data).toMatchObject({ google: { service_account: { private_key: '[hidden]' } } });
    expect(JSON.stringify(data)).not.toContain('PRIVATE KEY');
    const { updated_at: _, ...sent } = data;
    expect((await call('PUT', '/v1/settings/stores', sent)).status).toBe(200);
    const held = gateway.config.list('stores').find(({ environment }) => environment === 'live');
    expect(held?.document.google?.privateKey).toBe(PEM);
  });

  it('are refused with a faulty key, without the number of the app in the live environment, or without a version', async () => {
    const { version } = (await call('GET', '/v1/settings/stores')).data;
    const account = { client_email: 'a@example.com', private_key: 'x' };
    const bad = { ...STORES, google: { ...STORES.google, service_account: account }, version };
    expect((await call('PUT', '/v1/settings/stores', bad)).status).toBe(400);
    const apple = { bundle_id: 'com.example.game', app_apple_id: null };
    expect((await call('PUT', '/v1/settings/stores', { ...STORES, apple, version })).status).toBe(400);
    expect((await call('PUT', '/v1/settings/stores', STORES)).status).toBe(428);
  });

  it('are closed to client keys', async () => {
    expect((await call('GET', '/v1/settings/stores', undefined, client)).status).toBe(403);
  });
});
