import { describe, expect, it } from 'vitest';
import { changesOf, fileRows, isTooOld, ratesInFile, rowsOf, withRate } from './rate-table.ts';

const RATES = { USD: { '2026-01-15': 0.8594 }, JPY: { '2026-01-16': 0.00547, '2026-01-15': 0.00545 } };

describe('a file of exchange rates', () => {
  it('is read in any order of its columns', () => {
    const file =
      '\uFEFFcurrency,day,rate\r\nUSD,2026-01-15,.8594\r\nJPY,2026-01-16,0.00547\n"JPY",2026-01-15,5.45e-3\n\n';
    expect(ratesInFile(file)).toEqual({ kind: 'rates', rates: RATES });
  });

  it.each([
    ['', 'Line 1 must name the columns day, currency, rate, and no others.'],
    ['day;currency;rate\n2026-01-15;JPY;1', 'Line 1 must name the columns day, currency, rate, and no others.'],
    ['day,currency,rate\n2026-01-15,JPY', 'Line 2 has 2 fields instead of 3.'],
    ['day,currency,rate\n2026-01-15,JPY,"1,5"', 'Line 2: the rate is no number.'],
    ['day,currency,rate\n2026-01-15,JPY,1\n\n2026-01-15,JPY,1', 'Line 4 has a second rate of JPY for 2026-01-15.'],
    ['day,currency,rate\n2026-01-15,"JPY', 'Line 2 has a quoted field without an end.'],
  ])('is refused: %j', (text, message) => {
    expect(ratesInFile(text)).toEqual({ kind: 'fault', message });
  });

  it('names what only the service can judge as it is', () => {
    expect(ratesInFile('day,currency,rate\n1,__proto__,0')).toMatchObject({ kind: 'rates' });
    expect(ratesInFile('day,currency,rate\n')).toEqual({ kind: 'rates', rates: {} });
  });
});

it('says what a table has of each currency, and writes it again', () => {
  expect(rowsOf(RATES)).toEqual([
    { currency: 'JPY', count: 2, firstDay: '2026-01-15', lastDay: '2026-01-16', lastRate: 0.00547 },
    { currency: 'USD', count: 1, firstDay: '2026-01-15', lastDay: '2026-01-15', lastRate: 0.8594 },
  ]);
  expect(fileRows(RATES)).toEqual([
    ['2026-01-15', 'JPY', 0.00545],
    ['2026-01-15', 'USD', 0.8594],
    ['2026-01-16', 'JPY', 0.00547],
  ]);
});

it('adds a rate, and counts what differs', () => {
  const more = withRate(withRate(RATES, 'JPY', '2026-01-16', 0.006), 'SEK', '2026-01-16', 0.09);
  expect(changesOf(RATES, more)).toEqual({ added: 1, changed: 1, removed: 0 });
  expect(changesOf(more, { USD: { '2026-01-16': 1 } })).toEqual({ added: 1, changed: 0, removed: 4 });
  expect(changesOf({}, RATES)).toEqual({ added: 3, changed: 0, removed: 0 });
});

it('is too old after as many days as the service looks back', () => {
  expect([isTooOld('2026-01-15', '2026-01-22', 7), isTooOld('2026-01-15', '2026-01-23', 7)]).toEqual([false, true]);
});
