import { expect, it } from 'vitest';
import { aDelivery } from '../testing-webhooks.ts';
import { decodeDeliveries, encodeDeliveries } from './delivery-record.ts';

const bytesOf = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));
const [ONE, TWO] = [aDelivery({ id: 'one' }), aDelivery({ id: 'two', attempt: 3, deferrals: 1, run: 'again' })];

it('a record holds any number of deliveries, none included', () => {
  for (const deliveries of [[], [ONE], [ONE, TWO]]) {
    expect(decodeDeliveries(encodeDeliveries(ONE, deliveries))).toEqual(deliveries);
  }
});

it('a record as stored stays readable', () => {
  const place = { created: '2026-01-01T00:00:00Z', sequence: 7, index: 0 };
  const each = { id: 'one', configRevision: 1, type: 'event.level_up', timestamp: 1_000, data: '{"a":1}', player: 'p' };
  const deliveries = [{ ...each, place, attempt: 1, deferrals: 0, owedSince: 2_000 }];
  const stored = { v: 1, game: 'demo', environment: 'test', webhook: 'wh_1', deliveries };
  const decoded = [{ game: 'demo', environment: 'test', webhook: 'wh_1', ...deliveries[0] }];
  expect(decodeDeliveries(bytesOf(stored))).toEqual(decoded);
});

it.each([
  ['no JSON', Buffer.from('x')],
  ['no object', bytesOf(null)],
  ['a newer version', bytesOf({ v: 2, deliveries: [] })],
  ['no list', bytesOf({ v: 1, game: 'demo', environment: 'live', webhook: 'wh_1' })],
  [
    'a list with one that cannot be read',
    bytesOf({ v: 1, game: 'demo', environment: 'live', webhook: 'wh_1', deliveries: [ONE, {}] }),
  ],
])('%s is not taken for deliveries', (_, bytes) => {
  expect(decodeDeliveries(bytes)).toBeUndefined();
});
