import { createHmac, X509Certificate } from 'node:crypto';
import * as library from '@apple/app-store-server-library';
import { describe, expect, it } from 'vitest';
import { APP, openAppStore } from '../../test/support/stores/app-store.ts';
import { APPLE_ROOT } from './apple-root.ts';
import { createAppleStore } from './apple-store.ts';

/* Real signatures by Apple's library, with certificates that the test makes. */

const DAY_MS = 86_400_000;
const appStore = openAppStore();
const apple = createAppleStore(library, [appStore.root]);
const verified = (payload: string, environment: 'live' | 'test' = 'live', app = APP) =>
  apple.appleReceipt(app, environment, payload);
const rejected = (reason: string) => ({ kind: 'rejected', reason });

describe('a signed transaction', () => {
  it('proves its transaction, product and time', async () => {
    expect(await verified(appStore.transaction({ purchaseDate: 1_768_473_000_000 }))).toEqual({
      kind: 'proven',
      transactionId: '2000000001',
      productId: 'gems_100',
      purchasedAtMs: 1_768_473_000_000,
    });
  });

  it('of the sandbox proves in the test environment alone, and one of production in the live one alone', async () => {
    const sandbox = appStore.transaction({ environment: 'Sandbox' });
    expect(await verified(sandbox, 'test')).toMatchObject({ kind: 'proven' });
    expect(await verified(sandbox, 'live')).toEqual(rejected('wrong_environment'));
    expect(await verified(appStore.transaction(), 'test')).toEqual(rejected('wrong_environment'));
  });

  it.each(['Xcode', 'LocalTesting'])('of %s, which no store signs, proves nothing', async (environment) => {
    const local = appStore.transaction({ environment });
    expect(await verified(local, 'live')).toEqual(rejected('wrong_environment'));
    expect(await verified(local, 'test')).toEqual(rejected('wrong_environment'));
  });

  it('of another app is refused', async () => {
    expect(await verified(appStore.transaction({ bundleId: 'com.other.game' }))).toEqual(rejected('wrong_app'));
  });

  it('that was refunded, or that a family member shares, is refused', async () => {
    expect(await verified(appStore.transaction({ revocationDate: 1 }))).toEqual(rejected('refunded'));
    const shared = appStore.transaction({ inAppOwnershipType: 'FAMILY_SHARED' });
    expect(await verified(shared)).toEqual(rejected('not_purchased'));
  });
});

describe('a forged transaction', () => {
  it('signed by another root is refused, with all marks of the App Store', async () => {
    expect(await verified(openAppStore().transaction())).toEqual(rejected('invalid_signature'));
  });

  it('with another payload under the same signature is refused', async () => {
    const [header, , signature] = appStore.transaction().split('.');
    const payload = appStore.transaction({ productId: 'gems_9999' }).split('.')[1];
    expect(await verified(`${header}.${payload}.${signature}`)).toEqual(rejected('invalid_signature'));
  });

  it('without a signature (alg none) is refused', async () => {
    const [, payload] = appStore.transaction().split('.');
    const [withChain] = appStore.transaction({}, { header: { alg: 'none' } }).split('.');
    expect(await verified(`${withChain}.${payload}.`)).toEqual(rejected('invalid_signature'));
  });

  it('signed with the public key as a secret (alg HS256) is refused', async () => {
    const [header = ''] = appStore.transaction({}, { header: { alg: 'HS256' } }).split('.');
    const { x5c } = JSON.parse(Buffer.from(header, 'base64url').toString());
    const key = new X509Certificate(Buffer.from(x5c[0], 'base64')).publicKey.export({ type: 'spki', format: 'pem' });
    const text = `${header}.${appStore.transaction().split('.')[1]}`;
    const forged = `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
    expect(await verified(forged)).toEqual(rejected('invalid_signature'));
  });

  it('signed by a certificate that its root issued for something else is refused', async () => {
    const other = openAppStore({ leaf: { marks: [] } });
    expect(await createAppleStore(library, [other.root]).appleReceipt(APP, 'live', other.transaction())).toEqual(
      rejected('invalid_signature'),
    );
  });

  it('whose intermediate certificate may issue none is refused', async () => {
    const other = openAppStore({ intermediate: { isAuthority: false } });
    expect(await createAppleStore(library, [other.root]).appleReceipt(APP, 'live', other.transaction())).toEqual(
      rejected('invalid_signature'),
    );
  });

  it('signed after its certificate had ended is refused, and one signed before is not', async () => {
    const old = openAppStore({ leaf: { fromMs: Date.now() - 90 * DAY_MS, toMs: Date.now() - 30 * DAY_MS } });
    const store = createAppleStore(library, [old.root]);
    const of = (signedDate: number) => store.appleReceipt(APP, 'live', old.transaction({ signedDate }));
    expect(await of(Date.now())).toEqual(rejected('invalid_certificate'));
    expect(await of(Date.now() - 20 * DAY_MS)).toEqual(rejected('invalid_certificate'));
    expect(await of(Date.now() - 60 * DAY_MS)).toMatchObject({ kind: 'proven' });
  });

  it.each([
    ['a shorter chain', { x5c: [] }],
    ['certificates that are none', { x5c: ['AAAA', 'AAAA', 'AAAA'] }],
    ['no chain', { x5c: undefined }],
    ['a chain that is no list', { x5c: { length: 3 } }],
  ])('with %s is refused', async (_what, header) => {
    expect(await verified(appStore.transaction({}, { header }))).toMatchObject({ kind: 'rejected' });
  });

  it.each(['', '.', 'a.b.c', 'null', 'e30.'.repeat(3), 'x'.repeat(16_000), '{"a":1}'])(
    'that is no signed text is refused: %#',
    async (payload) => {
      expect(await verified(payload)).toMatchObject({ kind: 'rejected' });
    },
  );

  it("of this test is refused by Apple's own root", async () => {
    expect(await createAppleStore(library).appleReceipt(APP, 'live', appStore.transaction())).toEqual(
      rejected('invalid_signature'),
    );
  });
});

describe('a signed notification', () => {
  it('of a refund names transaction, time and share', async () => {
    expect(await apple.appleNotice(APP, 'live', appStore.refund())).toMatchObject({
      kind: 'refunded',
      transactionId: '2000000001',
      share: 1,
      atMs: 1_768_473_000_000,
    });
    const half = appStore.refund({ revocationPercentage: 50_000 });
    expect(await apple.appleNotice(APP, 'live', half)).toMatchObject({ share: 0.5 });
  });

  it('of another kind is no refund', async () => {
    const other = appStore.refund({}, { notificationType: 'DID_RENEW' });
    expect(await apple.appleNotice(APP, 'live', other)).toEqual({ kind: 'other', type: 'DID_RENEW' });
  });

  it('of another app, environment or signer is refused', async () => {
    const data = { bundleId: 'com.other', appAppleId: 1_234, environment: 'Production' };
    expect(await apple.appleNotice(APP, 'live', appStore.refund({}, { data }))).toEqual(rejected('wrong_app'));
    expect(await apple.appleNotice({ ...APP, appAppleId: 9 }, 'live', appStore.refund())).toEqual(
      rejected('wrong_app'),
    );
    expect(await apple.appleNotice(APP, 'test', appStore.refund())).toEqual(rejected('wrong_environment'));
    expect(await apple.appleNotice(APP, 'live', openAppStore().refund())).toEqual(rejected('invalid_signature'));
  });

  it('with a transaction that another signed inside is refused', async () => {
    const inside = openAppStore().transaction({ revocationDate: 1 });
    const data = { ...APP, environment: 'Production', signedTransactionInfo: inside };
    expect(await apple.appleNotice(APP, 'live', appStore.refund({}, { data }))).toEqual(rejected('invalid_signature'));
  });

  it('is no receipt of a purchase', async () => {
    expect(await verified(appStore.refund())).toMatchObject({ kind: 'rejected' });
  });
});

it("Apple's root is the one that it says, and signs itself", () => {
  const root = new X509Certificate(Buffer.from(APPLE_ROOT, 'base64'));
  expect(root.fingerprint256.replaceAll(':', '').toLowerCase()).toBe(
    '63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179',
  );
  expect(root.verify(root.publicKey)).toBe(true);
});
