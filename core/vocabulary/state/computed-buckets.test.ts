import { describe, expect, it } from 'vitest';
import { DAY_MS, dayOf } from '../../kernel/days.ts';
import type { Json } from '../../kernel/text/json.ts';
import { STATE_LIMITS } from '../limits.ts';
import { decodeState, encodeState } from '../../codec/state/state-codec.ts';
import { aPlayer } from '../../../actors/testing-players.ts';
import { bucketsOf, merged, valueAt, valueChangesAt } from './computed-buckets.ts';
import { AGGREGATES, type Aggregate, type Buckets, type ComputedScalar } from './aggregates.ts';

interface Happened {
  atMs: number;
  value: ComputedScalar;
}

/** A repeatable source of numbers from 0 to below 1 (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The value as documented, from all events in the order of the log. */
function naive(aggregate: Aggregate, days: number, all: readonly Happened[], nowMs: number): Json {
  const events = all.filter(({ atMs }) => days === 0 || dayOf(atMs) > dayOf(nowMs) - days);
  const numbers = events.map(({ value }) => Math.round(Number(value) * 10_000));
  const sum = numbers.reduce((one, other) => one + other, 0);
  const inTime = events.toSorted((one, other) => one.atMs - other.atMs);
  switch (aggregate) {
    case 'count':
      return events.length;
    case 'sum':
      return sum / 10_000;
    case 'average':
      return events.length === 0 ? null : sum / events.length / 10_000;
    case 'max':
      return events.length === 0 ? null : Math.max(...events.map(({ value }) => Number(value)));
    case 'min':
      return events.length === 0 ? null : Math.min(...events.map(({ value }) => Number(value)));
    case 'first':
      return inTime[0]?.value ?? null;
    case 'last':
      return inTime.at(-1)?.value ?? null;
    case 'distinct':
      return Math.min(new Set(events.map(({ value }) => value)).size, STATE_LIMITS.distinctValues);
  }
}

const START_MS = 20_000 * DAY_MS;

/** Buckets of events in the order of the log, merged in pieces of any size. */
function mergedInPieces(
  aggregate: Aggregate,
  days: number,
  events: readonly Happened[],
  random: () => number,
): Buckets {
  if (events.length === 0) return [];
  const [first] = events;
  if (events.length === 1 && first !== undefined) {
    return bucketsOf({ aggregate, days, value: aggregate === 'count' ? 1 : first.value }, first.atMs);
  }
  const cut = 1 + Math.floor(random() * (events.length - 1));
  const older = mergedInPieces(aggregate, days, events.slice(0, cut), random);
  return merged(aggregate, days, older, mergedInPieces(aggregate, days, events.slice(cut), random));
}

describe('the buckets of a computed property', () => {
  it.each(AGGREGATES)('give what all events give, in whatever pieces they are merged: %s', (aggregate) => {
    const random = createRandom(AGGREGATES.indexOf(aggregate) + 1);
    for (let round = 0; round < 150; round++) {
      const days = [0, 1, 2, 7, 90][Math.floor(random() * 5)] ?? 0;
      const spread = [3, 12, 200][Math.floor(random() * 3)] ?? 3;
      const few = random() < 0.5 ? 5 : 1_000;
      const isText = aggregate === 'first' || aggregate === 'last' || aggregate === 'distinct';
      const events = Array.from({ length: Math.floor(random() * 150) }, (): Happened => {
        const number = Math.round((random() - 0.5) * few * 100) / 100 + 0;
        return {
          // Some at the same millisecond, and none after the first day: later events would hide that days are kept.
          atMs: START_MS + Math.floor(random() * spread) * DAY_MS + Math.floor(random() * 20),
          value: isText && random() < 0.5 ? `v${number}` : number,
        };
      });
      const buckets = mergedInPieces(aggregate, days, events, random);
      const newest = Math.max(START_MS, ...events.map(({ atMs }) => atMs));
      // An owner's clock may be up to a day behind the newest event.
      for (const nowMs of [newest - DAY_MS, newest, newest + DAY_MS, newest + days * DAY_MS, newest + 100 * DAY_MS]) {
        expect(valueAt(aggregate, days, buckets, nowMs), `${round}: ${days} days`).toEqual(
          naive(aggregate, days, events, nowMs),
        );
      }
      const changesAt = valueChangesAt(aggregate, days, buckets, newest);
      const later = Array.from({ length: days }, (_, day) => (dayOf(newest) + day + 1) * DAY_MS);
      const oldest = events.map(({ atMs }) => dayOf(atMs)).filter((day) => days > 0 && day > dayOf(newest) - days);
      const next = later.find((atMs) => oldest.some((day) => day <= dayOf(atMs) - days));
      // Of values that replace each other only the kept one's day matters.
      if (aggregate !== 'last' && aggregate !== 'distinct') expect(changesAt).toBe(next);
      if (changesAt !== undefined) expect(changesAt).toBeGreaterThan(newest);
    }
  });

  it('hold no more than their window and a day, whatever comes', () => {
    let count: Buckets = [];
    let distinct: Buckets = [];
    for (let day = 0; day < 400; day++) {
      count = merged(
        'count',
        90,
        count,
        bucketsOf({ aggregate: 'count', days: 90, value: 1 }, START_MS + day * DAY_MS),
      );
      const value = bucketsOf({ aggregate: 'distinct', days: 90, value: `v${day}` }, START_MS + day * DAY_MS);
      distinct = merged('distinct', 90, distinct, value);
    }
    expect(count).toHaveLength(2 * 91);
    expect(distinct).toHaveLength(2 * 91);
    for (let n = 0; n < 300; n++) {
      const value = bucketsOf({ aggregate: 'distinct', days: 0, value: n }, START_MS);
      distinct = merged('distinct', 0, distinct, value);
    }
    expect(valueAt('distinct', 0, distinct, START_MS)).toBe(STATE_LIMITS.distinctValues);
  });

  it('are stored with the player, also of one without other lists', () => {
    const buckets = [20_000, 3, 19_998, 1];
    const own = { generation: 2, aggregate: 'count', days: 7, filled: false } as const;
    const player = aPlayer({ computed: [{ id: 'x', ...own, buckets }] });
    expect(decodeState(encodeState(player))).toEqual(player);
    const many = Array.from({ length: 64 }, (_, n) => ({
      id: `key-${n}@1234567890a`,
      ...own,
      buckets: Array.from({ length: 64 }, (_unused, place) => (place % 2 === 0 ? 20_000 - place : 123)),
    }));
    const bytes = encodeState(aPlayer({ computed: many })).length - encodeState(aPlayer()).length;
    expect(bytes).toBeLessThan(64 * 32 * 14 + 64 * 64);
  });
});
