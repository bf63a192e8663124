import { assert, integer, option, property, record } from 'fast-check';
import { expect, it } from 'vitest';
import { spansOf, type EventQuery, type Span } from './event-query.ts';

const NOW = Date.UTC(2026, 5, 1);
const YEAR_MS = 366 * 86_400_000;
const times = integer({ min: NOW - 4 * YEAR_MS, max: NOW + YEAR_MS });
const place = record({ receivedMs: times, sequence: integer({ min: 1 }), index: integer({ min: 0 }) });
const queries = record({
  sinceMs: option(times, { nil: undefined }),
  untilMs: option(times, { nil: undefined }),
  behind: option(place, { nil: undefined }),
});

const spans = (some: Partial<EventQuery>): Span[] => [
  ...spansOf({ game: 'demo', environment: 'live', limit: 50, ...some }, NOW),
];
const holds = ({ sinceMs, untilMs }: Span, ms: number): boolean =>
  ms >= (sinceMs ?? -Infinity) && ms < (untilMs ?? Infinity);

it('a time that is asked for lies in exactly one span, and no other time in any', () => {
  assert(
    property(queries, times, (query, ms) => {
      const asked = holds(query, ms) && ms <= (query.behind?.receivedMs ?? Infinity);
      expect(spans(query).filter((span) => holds(span, ms))).toHaveLength(asked ? 1 : 0);
    }),
  );
});

it('later spans are older', () => {
  assert(
    property(queries, (query) => {
      const all = spans(query);
      for (const [index, span] of all.entries()) {
        if (index > 0) expect(span.untilMs).toBe(all[index - 1]?.sinceMs);
      }
      expect(all.length).toBeLessThan(10);
    }),
  );
});

it.each([{ eventName: 'level_up' }, { playerId: 'any' }, { sessionId: 'any' }])(
  'what leads to the rows by itself is asked in one go: %j',
  (filter) => {
    expect(spans(filter)).toEqual([{ sinceMs: undefined, untilMs: undefined }]);
  },
);
