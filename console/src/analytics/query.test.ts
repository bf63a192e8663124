import { describe, expect, it } from 'vitest';
import { addressOf, askedIn, bodyOf, daysOf, fieldsIn, isComplete, keptFields, type Query } from './query.ts';

const NAMES = { events: ['open'], properties: ['level'], segments: ['whales'] };

describe('a query in the address', () => {
  it.each<Query>([
    { kind: 'trend', metric: 'arpdau', interval: 'week', compare: 'previous_period' },
    { kind: 'trend', metric: 'percentile', property: 'level', percentile: 90, interval: 'day', by: 'attribute:clan' },
    {
      kind: 'breakdown',
      metric: 'events',
      by: 'platform',
      per_player: true,
      where: [{ field: 'country', is_not: 'DE' }],
    },
    {
      kind: 'breakdown',
      by: 'country',
      formula: {
        numerator: {
          metric: 'sum',
          property: 'level',
          event_names: ['open'],
          where: [{ field: 'source', is: 'import' }],
        },
        denominator: { metric: 'payers' },
      },
    },
    {
      kind: 'trend',
      metric: 'events',
      interval: 'day',
      where: [
        { field: 'property:level', gte: 5 },
        { field: 'property:mode', is_set: true },
        { field: 'segment:whales', is: true },
        { field: 'country', in: ['DE', ''] },
      ],
    },
  ])('comes back as it was: %j', (query) => {
    expect(askedIn(addressOf({ query, range: { days: 7 } })).query).toEqual(query);
  });

  it('loses what is damaged, and has a condition for each operator', () => {
    const where = [{ field: 'a', gt: '5' }, { field: 'b', gte: 1, lt: 2 }, { is: 1 }];
    const search = `?${new URLSearchParams({ q: JSON.stringify({ kind: 'trend', metric: 'dau', where }) }).toString()}`;
    expect(askedIn(search).query).toEqual({
      kind: 'trend',
      metric: 'events',
      interval: 'day',
      where: [
        { field: 'b', gte: 1 },
        { field: 'b', lt: 2 },
      ],
    });
  });
});

it('names days of the game, of which both ends count', () => {
  const query = { kind: 'trend' } as const;
  expect(bodyOf({ query, range: { from: '2026-02-27', to: '2026-02-28' } })).toEqual({
    kind: 'trend',
    from: '2026-02-27',
    to: '2026-03-01',
  });
  expect(bodyOf({ query, range: { days: 28 } })).toEqual({ kind: 'trend', last_days: 28 });
});

it('reads the days of a saved range in the zone of the game', () => {
  const zone = 'America/Sao_Paulo';
  expect(daysOf(zone, '2026-02-27', '2026-03-01')).toEqual({ from: '2026-02-27', to: '2026-02-28' });
  // Moments: midnight by the zone's clock, and one second after it.
  expect(daysOf(zone, '2026-02-27T03:00:00Z', '2026-03-01T03:00:00Z')).toEqual({
    from: '2026-02-27',
    to: '2026-02-28',
  });
  expect(daysOf(zone, '2026-02-27T02:59:59Z', '2026-03-01T03:00:01Z')).toEqual({
    from: '2026-02-26',
    to: '2026-03-01',
  });
  // A day of 25 hours, and the day without a midnight.
  expect(daysOf(zone, '2018-02-17', '2018-02-18')).toEqual({ from: '2018-02-17', to: '2018-02-17' });
  expect(daysOf(zone, '2018-11-04', '2018-11-05')).toEqual({ from: '2018-11-04', to: '2018-11-04' });
});

it('a changed metric keeps the fields that its rows have', () => {
  const where = [
    { field: 'platform', is: 'ios' },
    { field: 'property:level', gt: 1 },
  ];
  const query: Query = { kind: 'breakdown', metric: 'revenue', by: 'key_kind', where };
  expect(keptFields(query)).toEqual({ kind: 'breakdown', metric: 'revenue', by: 'country', where: [where[0]] });
  expect(fieldsIn({ kind: 'trend', metric: 'mau' }, NAMES)).toEqual(['attribute:', 'segment:whales']);
  expect(fieldsIn({ kind: 'trend', metric: 'arppu' }, NAMES)).toContain('product_id');
  expect(fieldsIn({ kind: 'trend', metric: 'arpdau' }, NAMES)).not.toContain('product_id');
});

it('is complete with the property that a measure needs', () => {
  const formula = (property: object) => ({
    numerator: { metric: 'sum' as const, ...property },
    denominator: { metric: 'players' as const },
  });
  expect(isComplete({ kind: 'trend', formula: formula({}) })).toBe(false);
  expect(isComplete({ kind: 'trend', formula: formula({ property: 'a' }) })).toBe(true);
  expect(isComplete({ kind: 'trend', metric: 'average' })).toBe(false);
  expect(isComplete({ kind: 'trend', metric: 'arpdau' })).toBe(true);
});
