import { array, assert, constantFrom, integer, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COUNTER_LIMITS } from './limits.ts';
import { DAY_MS } from '../../core/kernel/days.ts';
import { decide } from '../decide.ts';
import { createDraft } from '../runtime/term/draft.ts';
import { aCommand, aPlayer, definitionsOf } from '../testing-players.ts';
import { countChangesAt, counted, countWithin, lastDaysAgo, lastDayStart } from './event-counters.ts';
import type { EventCounter } from '../../core/vocabulary/state/player.ts';

/** A day long enough after the epoch that earlier days are valid dates. */
const DAY_0 = 20_000;
const at = (day: number, ms = 0) => (DAY_0 + day) * DAY_MS + ms;

describe('event counters', () => {
  it('count a first event on its UTC day', () => {
    expect(counted([], 'win', at(0, 5))).toEqual([{ name: 'win', day: DAY_0, counts: [1] }]);
  });

  it('do not modify their input', () => {
    const before: readonly EventCounter[] = Object.freeze([
      Object.freeze({ name: 'win', day: DAY_0, counts: Object.freeze([1]) }),
    ]);
    expect(counted(before, 'win', at(2))).toEqual([{ name: 'win', day: DAY_0 + 2, counts: [1, 0, 1] }]);
    expect(before).toEqual([{ name: 'win', day: DAY_0, counts: [1] }]);
  });

  it('count a late event on its own day while that day is kept', () => {
    const counters = counted(counted([], 'win', at(40)), 'win', at(38));
    expect(counters[0]?.counts).toEqual([1, 0, 1]);
    expect(counted(counters, 'win', at(10))).toBe(counters);
    expect(counted(counters, 'win', at(11))[0]?.counts).toHaveLength(30);
  });

  it('end a window exactly at midnight UTC', () => {
    const counters = counted([], 'win', at(0, DAY_MS - 1));
    expect(countWithin(counters, 'win', 1, at(1) - 1)).toBe(1);
    expect(countWithin(counters, 'win', 1, at(1))).toBe(0);
    expect(countWithin(counters, 'win', 7, at(7) - 1)).toBe(1);
    expect(countWithin(counters, 'win', 7, at(7))).toBe(0);
    expect(countWithin(counters, 'win', 30, at(30))).toBe(0);
  });

  it('keep the last day longer than they count', () => {
    const counters = counted([], 'win', at(0));
    expect(lastDaysAgo(counters, 'win', at(0))).toBe(0);
    expect(lastDaysAgo(counters, 'win', at(45))).toBe(45);
    expect(lastDaysAgo(counters, 'lose', at(45))).toBeUndefined();
    expect(lastDayStart(counters, 'win')).toBe(at(0));
    expect(lastDayStart(counters, 'lose')).toBeUndefined();
  });

  it('drop the name counted longest ago beyond the bound', () => {
    let counters: readonly EventCounter[] = [];
    for (let n = 0; n < COUNTER_LIMITS.countedNames; n++) counters = counted(counters, `e${n}`, at(0));
    counters = counted(counters, 'e0', at(0));
    counters = counted(counters, 'one more', at(0));
    expect(counters).toHaveLength(COUNTER_LIMITS.countedNames);
    expect(countWithin(counters, 'e0', 1, at(0))).toBe(2);
    expect(countWithin(counters, 'e1', 1, at(0))).toBe(0);
    expect(counters[0]?.name).toBe('one more');
  });

  it('of names that definitions read, or of events the service makes, are never evicted by others', () => {
    const segment = { id: 's', key: 's', condition: { matches: () => false, changesAt: () => undefined } };
    const targeting = { segments: [segment], countedEvents: new Set(['level_failed']) };
    const draft = createDraft(() => aPlayer());
    const track = (eventName: string) =>
      decide(
        draft,
        aCommand({
          kind: 'TrackEvents',
          items: [
            {
              index: 0,
              playerId: aPlayer().id,
              eventId: 'e',
              remember: false,
              eventName,
              properties: '{}',
              sessionId: null,
              timestamp: 1,
            },
          ],
        }),
        definitionsOf(targeting),
      );
    for (const name of ['level_failed', 'purchase', 'session_recorded', 'other']) track(name);
    for (let n = 0; n < 300; n++) track(`junk-${n}`);
    const state = draft.get(aPlayer().id);
    const counters = state?.kind === 'player' ? state.counters : [];
    const names = counters.map(({ name }) => name);
    expect(names).toHaveLength(COUNTER_LIMITS.countedNames);
    expect(names[0]).toBe('junk-299');
    expect(names.slice(-3)).toEqual(['session_recorded', 'purchase', 'level_failed']);
    expect(names).not.toContain('other');
    expect(names.filter((name) => name.startsWith('junk'))).toHaveLength(COUNTER_LIMITS.countedNames - 3);
  });

  const happenings = array(
    record({
      name: constantFrom('a', 'b', 'c'),
      day: integer({ min: 0, max: 70 }),
      ms: integer({ min: 0, max: DAY_MS - 1 }),
    }),
    { maxLength: 60 },
  );

  it('agree with a full list of events', () => {
    assert(
      property(happenings, integer({ min: 0, max: 30 }), constantFrom(1, 7, 30), (happened, later, days) => {
        const { counters, kept, newest } = replay(happened);
        for (const name of ['a', 'b', 'c']) {
          const today = (newest.get(name) ?? 0) + later;
          const within = kept.filter((one) => one.name === name && one.day > today - days).length;
          expect(countWithin(counters, name, days, at(today, 7))).toBe(within);
          expect(lastDaysAgo(counters, name, at(today))).toBe(newest.has(name) ? later : undefined);
        }
      }),
    );
  });

  it('are compact: the newest day first, at most 30 days, no zeros at either end, in the order of use', () => {
    assert(
      property(happenings, (happened) => {
        const { counters, kept } = replay(happened);
        expect(counters.map(({ name }) => name)).toEqual([...new Set(kept.map(({ name }) => name).reverse())]);
        for (const { counts } of counters) {
          expect(counts.length).toBeLessThanOrEqual(COUNTER_LIMITS.countedDays);
          expect(counts[0]).toBeGreaterThan(0);
          expect(counts.at(-1)).toBeGreaterThan(0);
        }
      }),
    );
  });

  it('report exactly when a count changes by time alone', () => {
    assert(
      property(happenings, constantFrom(1, 7, 30), integer({ min: 0, max: 75 }), (happened, days, today) => {
        const { counters } = replay(happened);
        const now = at(today, 99);
        const changesAt = countChangesAt(counters, 'a', days, now);
        const count = countWithin(counters, 'a', days, now);
        expect(changesAt === undefined).toBe(count === 0);
        if (changesAt === undefined) return;
        expect(changesAt).toBeGreaterThan(now);
        expect(countWithin(counters, 'a', days, changesAt - 1)).toBe(count);
        expect(countWithin(counters, 'a', days, changesAt)).toBeLessThan(count);
      }),
    );
  });
});

interface Happening {
  name: string;
  day: number;
  ms: number;
}

/** The counters, and a naive list of the same events without those already older than 30 days on arrival. */
function replay(happened: readonly Happening[]) {
  let counters: readonly EventCounter[] = [];
  const kept: Happening[] = [];
  const newest = new Map<string, number>();
  for (const one of happened) {
    counters = counted(counters, one.name, at(one.day, one.ms));
    const last = newest.get(one.name) ?? one.day;
    if (one.day <= last - 30) continue;
    newest.set(one.name, Math.max(last, one.day));
    kept.push(one);
  }
  return { counters, kept, newest };
}
