import { describe, expect, it } from 'vitest';
import type { KnownNamesQuery } from '../../../clickhouse-schema/queries/events/known-names.ts';
import { createFakeClock } from '../../../test/support/in-memory/fake-clock.ts';
import { DEFINITION_LIMITS } from './limits.ts';
import { EVENT_QUERY_LIMITS } from '../../../clickhouse-schema/queries/events/limits.ts';
import { ROUTE_LIMITS } from '../route/limits.ts';
import { createNameWarnings } from './name-warnings.ts';

const SCOPE = { game: 'demo', environment: 'live' };
const KNOWN = { events: ['level_failed', 'shop'], attributes: ['level', 'country'], properties: ['level', 'mode'] };

function warningsOf(known: Record<string, string[]> | null = KNOWN) {
  const clock = createFakeClock();
  const queries: KnownNamesQuery[] = [];
  const warnings = createNameWarnings({
    clock,
    async knownNames(query) {
      queries.push(query);
      return known === null ? { kind: 'unavailable' } : { kind: 'answered', value: known[query.of.kind] ?? [] };
    },
  });
  return { warnings, queries, clock };
}

describe('warnings about names', () => {
  it('name what no event and no player has, with the nearest known names', async () => {
    const { warnings } = warningsOf();
    const conditions = {
      'attributes.levle': { $gte: 3 },
      'attributes.country.code': 'SE',
      $or: [{ 'events.level_faild.count_7d': 1 }, { 'events.purchase.count_7d': 1 }, { is_payer: true }],
      $not: { events: { name: 'level_failed', where: { 'properties.levl': 3, 'properties.mode': 'x' }, count: 2 } },
    };
    const found = await warnings.of(SCOPE, [{ conditions, path: '/conditions' }]);
    expect(found.map(({ path, suggestions }) => [path, ...suggestions])).toEqual([
      ['/conditions/attributes.levle', 'level'],
      ['/conditions/$or/0/events.level_faild.count_7d', 'level_failed'],
      ['/conditions/$not/events/where/properties.levl', 'level'],
    ]);
    expect(found[1]?.message).toBe('no event named `level_faild` was received yet; did you mean `level_failed`?');
  });

  it('name operators without $, also without ClickHouse', async () => {
    const conditions = { 'attributes.level': { gte: 3 } };
    for (const { warnings } of [warningsOf(), warningsOf(null)]) {
      const found = await warnings.of(SCOPE, [{ conditions, path: '/conditions' }]);
      expect(found.map(({ path, suggestions }) => [path, ...suggestions])).toEqual([
        ['/conditions/attributes.level/gte', '$gte'],
      ]);
    }
  });

  it('name properties of the event that triggers', async () => {
    const { warnings } = warningsOf();
    const conditions = { 'properties.lvl.x': 1, 'properties.mode': 1 };
    const found = await warnings.of(SCOPE, [{ conditions, path: '/trigger/conditions', event: 'shop' }]);
    expect(found.map(({ path }) => path)).toEqual(['/trigger/conditions/properties.lvl.x']);
  });

  it('ask ClickHouse once a minute', async () => {
    const { warnings, queries, clock } = warningsOf();
    const all = [{ conditions: { 'attributes.a': 1, 'attributes.b': 1 }, path: '' }];
    await warnings.of(SCOPE, all);
    await warnings.of(SCOPE, all);
    expect(queries).toHaveLength(1);
    await clock.advance(DEFINITION_LIMITS.namesFreshMs);
    await warnings.of(SCOPE, all);
    expect(queries).toHaveLength(2);
  });

  it('are absent for a name that came since the list was read', async () => {
    const known = { ...KNOWN, events: ['shop'] };
    const { warnings, queries, clock } = warningsOf(known);
    const ofEvent = (name: string) =>
      warnings.of(SCOPE, [{ conditions: { [`events.${name}.count_7d`]: 1 }, path: '' }]).then(({ length }) => length);
    expect(await ofEvent('level_failed')).toBe(1);
    known.events = ['shop', 'level_failed'];
    await clock.advance(DEFINITION_LIMITS.namesAskedAgainMs);
    // Two definitions at once share one question.
    expect(await Promise.all([ofEvent('level_failed'), ofEvent('level_failed')])).toEqual([0, 0]);
    expect(queries).toHaveLength(2);
    // A name that is really unknown asks no more often.
    expect([await ofEvent('shpo'), await ofEvent('shpo')]).toEqual([1, 1]);
    expect(queries).toHaveLength(2);
    await clock.advance(DEFINITION_LIMITS.namesAskedAgainMs);
    expect(await ofEvent('shop')).toBe(0);
    expect(queries).toHaveLength(2);
  });

  it('wait for a question that is still under way instead of asking again', async () => {
    const { clock } = warningsOf();
    let asked = 0;
    const warnings = createNameWarnings({ clock, knownNames: () => ((asked += 1), new Promise(() => {})) });
    const wait = async () => {
      const found = warnings.of(SCOPE, [{ conditions: { 'events.a.count_7d': 1 }, path: '' }]);
      await clock.advance(DEFINITION_LIMITS.namesFreshMs);
      return found;
    };
    expect([await wait(), await wait()]).toEqual([[], []]);
    expect(asked).toBe(1);
  });

  it('are absent if there are more names than a list holds', async () => {
    const events = Array.from({ length: EVENT_QUERY_LIMITS.namesKnown }, (_, n) => `event_${n}`);
    const { warnings } = warningsOf({ ...KNOWN, events });
    expect(await warnings.of(SCOPE, [{ conditions: { 'events.other.count_7d': 1 }, path: '' }])).toEqual([]);
  });

  it('yield to other requests while many names are compared', async () => {
    const clock = createFakeClock();
    let nowMs = 0;
    let pauses = 0;
    const slow = {
      ...clock,
      // Every look at the clock is a name compared later.
      monotonicMs: () => (nowMs += ROUTE_LIMITS.validationTurnMs),
      timer: (delayMs: number, run: () => void) => {
        if (delayMs > 0) return () => {};
        pauses += 1;
        queueMicrotask(run);
        return () => {};
      },
    };
    const warnings = createNameWarnings({
      clock: slow,
      knownNames: async () => ({ kind: 'answered', value: ['level'] }),
    });
    const conditions = Object.fromEntries(['levle', 'levl', 'leve'].map((name) => [`attributes.${name}`, 1]));
    expect(await warnings.of(SCOPE, [{ conditions, path: '' }])).toHaveLength(3);
    expect(pauses).toBeGreaterThanOrEqual(2);
  });

  it('are absent without ClickHouse, and bounded', async () => {
    const { warnings, queries } = warningsOf(null);
    const all = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`attributes.a${n}`, 1]));
    expect(await warnings.of(SCOPE, [{ conditions: all, path: '' }])).toEqual([]);
    expect(await warnings.of(SCOPE, [{ conditions: all, path: '' }])).toEqual([]);
    expect(queries).toHaveLength(2);
    expect(await warningsOf().warnings.of(SCOPE, [{ conditions: all, path: '' }])).toHaveLength(
      DEFINITION_LIMITS.nameWarnings,
    );
    expect(await warningsOf().warnings.of(SCOPE, [{ conditions: { is_payer: true }, path: '' }])).toEqual([]);
  });
});
