import { expect, it } from 'vitest';
import { countedEventsOf } from './counted-events.ts';

it('finds the names of counted events at any depth of conditions, with any characters', () => {
  const conditions = [
    { 'events.win.count_7d': { $gte: 3 }, 'attributes.level': 1 },
    { $or: [{ $not: { 'events.a.b ü.last_days_ago': 2 } }, { $and: [{ 'events.__proto__.count_1d': 1 }] }] },
    { events: { name: 'buy', where: { 'properties.sku': 'x' }, within_days: 7, count: { $gte: 1 } } },
    { 'events.': 1, 'events.x': 1, eventsx: 1, events: 'none' },
  ];
  expect([...countedEventsOf(conditions)]).toEqual(['win', 'a.b ü', '__proto__', 'buy']);
});
