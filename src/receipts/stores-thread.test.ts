import { afterAll, expect, it } from 'vitest';
import { systemClock } from '../../core/kernel/clock.ts';
import { APP, openAppStore } from '../../test/support/stores/app-store.ts';
import { createStoresThread } from './stores-thread.ts';

/* The libraries in their thread. */

const appStore = openAppStore();
const stores = createStoresThread(systemClock, [appStore.root]);
afterAll(() => stores.stop());

it('answers calls side by side, each with its own', async () => {
  const [good, bad, notice] = await Promise.all([
    stores.appleReceipt(APP, 'live', appStore.transaction({ transactionId: 'a' })),
    stores.appleReceipt(APP, 'live', openAppStore().transaction()),
    stores.appleNotice(APP, 'live', appStore.refund({ transactionId: 'b' })),
  ]);
  expect(good).toMatchObject({ kind: 'proven', transactionId: 'a' });
  expect(bad).toEqual({ kind: 'rejected', reason: 'invalid_signature' });
  expect(notice).toMatchObject({ kind: 'refunded', transactionId: 'b' });
}, 60_000);

it('starts anew after it was stopped', async () => {
  await stores.stop();
  expect(await stores.appleReceipt(APP, 'live', appStore.transaction())).toMatchObject({ kind: 'proven' });
}, 60_000);
