import { describe, expect, it } from 'vitest';
import { unreadByViews } from './well-known-events.ts';

const paths = (name: string, properties: Record<string, unknown>) =>
  unreadByViews(name, properties).map(({ path }) => path);

describe('an event of the economy', () => {
  it.each(['currency_earned', 'currency_spent'])('%s needs a currency and an amount above 0', (name) => {
    expect(paths(name, { currency: 'gold', amount: 0.0001 })).toEqual([]);
    expect(paths(name, { currency: 'gold', amount: 5, item: 'sword' })).toEqual([]);
    expect(paths(name, {})).toEqual(['/currency', '/amount']);
    for (const amount of [0, -5, '5', null, Number.NaN, 0.00001, 1e300])
      expect(paths(name, { currency: 'gold', amount })).toEqual(['/amount']);
    for (const currency of ['', 5, null]) expect(paths(name, { currency, amount: 5 })).toEqual(['/currency']);
  });
});

describe('an event of a level', () => {
  it.each(['level_started', 'level_failed', 'level_completed'])('%s has a number or a text, or no level', (name) => {
    for (const level of [3, 0, '1-2', 'boss']) expect(paths(name, { level })).toEqual([]);
    expect(paths(name, {})).toEqual([]);
    for (const level of ['', null, true, { n: 1 }, [3]]) expect(paths(name, { level })).toEqual(['/level']);
  });
});

it('no other event needs anything', () => {
  for (const name of ['purchase', 'constructor', '__proto__', 'level']) expect(paths(name, {})).toEqual([]);
});
