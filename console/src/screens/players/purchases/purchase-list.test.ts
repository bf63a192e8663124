import { describe, expect, it } from 'vitest';
import { amountOf, type Entry, purchasesOf, refundable, remainsOf } from './purchase-list.ts';

const entry = (what: string, id: string, number: number, second: number, why = 'server'): Entry => ({
  kind: 'purchase',
  received_at: `2026-11-27T10:00:0${second}.000Z`,
  name: 'gems',
  what,
  id,
  why,
  value: 'EUR',
  number,
});

describe('the purchases of a player', () => {
  it('have what was refunded of them, and what remains', () => {
    const list = purchasesOf([
      entry('refunded', 'b', -0.2, 6),
      entry('refunded', 'a', -9.99, 5),
      entry('refunded', 'b', -0.1, 4),
      entry('recorded', 'b', 0.3, 3),
      entry('recorded', '', 4.5, 2),
      entry('recorded', 'a', 9.99, 1),
    ]);
    expect(list.map((each) => [each.transaction, each.paid, each.refunded, remainsOf(each)])).toEqual([
      ['b', 0.3, 0.3, 0],
      ['', 4.5, 0, 4.5],
      ['a', 9.99, 9.99, 0],
    ]);
  });

  it('are one line where the record of a server replaced one of a client, also before the older page is read', () => {
    const entries = [
      entry('recorded', 'a', 5, 3),
      entry('reversed', 'a', -9.99, 3, 'client'),
      entry('recorded', 'a', 9.99, 1, 'client'),
    ];
    const one = [expect.objectContaining({ paid: 5, refunded: 0, by: 'server' })];
    expect(purchasesOf(entries)).toEqual(one);
    expect(purchasesOf(entries.slice(0, 2))).toEqual(one);
  });

  it('that was converted are refunded in the currency that was paid', () => {
    const paid = (amount: number) => ({ paid: { amount, currency: 'JPY' } });
    const [converted, plain] = purchasesOf([
      { ...entry('refunded', 'a', -3.085, 4), ...paid(-500), value: 'JPY' },
      { ...entry('recorded', 'a', 9.255, 3), ...paid(1500), value: 'JPY' },
      entry('recorded', 'b', 9.99, 2),
    ]);
    if (converted === undefined || plain === undefined) throw new Error('a purchase is missing');
    expect([converted.paid, converted.refunded, converted.sent]).toEqual([9.255, 3.085, { paid: 1500, refunded: 500 }]);
    expect(refundable(converted, 'EUR')).toEqual({ most: 1000, currency: 'JPY' });
    expect(refundable(plain, 'EUR')).toEqual({ most: 9.99, currency: 'EUR' });
    // Nothing counts any more, whatever the last part was rounded to.
    expect(refundable({ ...converted, refunded: 9.255 }, 'EUR').most).toBe(0);
  });

  it('shows no purchase of which only refunds are read', () => {
    expect(purchasesOf([entry('refunded', 'a', -1, 5)])).toEqual([]);
  });
});

it.each([
  ['2', 2],
  ['2,50', 2.5],
  [' 9.99 ', 9.99],
  ['9.990001', 9.99],
  ['10', undefined],
  ['0', undefined],
  ['-1', undefined],
  ['', undefined],
  ['all', undefined],
])('an amount of %j of 9.99 is %s', (text, amount) => {
  expect(amountOf(text, 9.99)).toBe(amount);
});
