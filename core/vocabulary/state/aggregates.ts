import { STATE_LIMITS } from '../limits.ts';
import type { Json } from '../../kernel/text/json.ts';
import { numberOfText } from '../../kernel/text/text-number.ts';

/*
 * What computed properties compute, one entry for each aggregate.
 *
 * The values of a property are held by UTC day in one flat array: `[day, …]` for each day, the newest first. Without a
 * window (`days` 0) the day is always 0. A merge is associative, and its order matters only between events of the same
 * millisecond.
 */

export type ComputedScalar = number | string | boolean;
export type Buckets = readonly ComputedScalar[];

interface AggregateRule {
  /** What it computes; part of the API's documentation. */
  description: string;
  /** What it takes of a value of an event; `undefined`: nothing. Absent: it counts events and takes no value. */
  take?: (value: Json) => ComputedScalar | undefined;
  /** The number of items in a bucket, the day included. */
  width: 2 | 3;
  /** The items after the day in the bucket of one event. */
  begin: (value: ComputedScalar, atMs: number) => readonly ComputedScalar[];
  /** Joins two sides that are not empty. `older` comes before `newer` in the log. */
  merge: (days: number, older: Buckets, newer: Buckets) => Buckets;
  /** The value of the first `end` items, as conditions and callers read it. */
  read: (buckets: Buckets, end: number) => Json;
  /** The most buckets of a player's value, weighted by their size; see `computedBuckets`. */
  weight: (days: number) => number;
}

/** By number in states and facts. Never reorder: append. */
const RULES = {
  // day, number of events
  count: {
    description: 'number of events',
    width: 2,
    begin: (value) => [value],
    merge: byDay(2, (older, one, newer, other) => [added(older, one + 1, newer, other + 1)]),
    read: (buckets, end) => total(buckets, 1, 2, end),
    weight: dailyWeight,
  },
  // day, sum in ten-thousandths
  sum: {
    description: 'sum of the numbers, with four decimals',
    take: summand,
    width: 2,
    begin: (value) => [scaled(value)],
    merge: byDay(2, (older, one, newer, other) => [added(older, one + 1, newer, other + 1)]),
    read: (buckets, end) => total(buckets, 1, 2, end) / SCALE,
    weight: dailyWeight,
  },
  max: extreme('largest number', Math.max),
  min: extreme('smallest number', Math.min),
  // day, sum in ten-thousandths, number of values
  average: {
    description: 'mean of the numbers, with four decimals in the sum',
    take: summand,
    width: 3,
    begin: (value) => [scaled(value), 1],
    merge: byDay(3, (older, one, newer, other) => [
      added(older, one + 1, newer, other + 1),
      added(older, one + 2, newer, other + 2),
    ]),
    read: (buckets, end) => (end === 0 ? null : total(buckets, 1, 3, end) / total(buckets, 2, 3, end) / SCALE),
    weight: dailyWeight,
  },
  // day, time of the day's first event (epoch milliseconds), value
  first: {
    description: 'the earliest value',
    take: scalarIn,
    width: 3,
    begin: (value, atMs) => [atMs, value],
    merge: byDay(3, (older, one, newer, other) =>
      Number(newer[other + 1]) < Number(older[one + 1])
        ? newer.slice(other + 1, other + 3)
        : older.slice(one + 1, one + 3),
    ),
    read: (buckets, end) => (end === 0 ? null : (buckets[end - 1] ?? null)),
    weight: (days) => dailyWeight(days) * STATE_LIMITS.textBuckets,
  },
  // the same of the latest event only
  last: {
    description: 'the latest value',
    take: scalarIn,
    width: 3,
    begin: (value, atMs) => [atMs, value],
    merge: (_days, older, newer) => (Number(newer[1]) >= Number(older[1]) ? newer : older),
    read: (buckets, end) => (end === 0 ? null : (buckets[2] ?? null)),
    weight: () => STATE_LIMITS.textBuckets,
  },
  // last day of the value, its hash; one for each value, equal days by ascending hash
  distinct: {
    description: `number of different values, at most ${STATE_LIMITS.distinctValues}`,
    take: scalarIn,
    width: 2,
    begin: (value) => [numberOfText(JSON.stringify(value))],
    merge: mergedValues,
    read: (_buckets, end) => end / 2,
    weight: () => STATE_LIMITS.distinctValues,
  },
} satisfies Record<string, AggregateRule>;

export type Aggregate = keyof typeof RULES;
export const AGGREGATE_RULES: Readonly<Record<Aggregate, AggregateRule>> = RULES;
export const AGGREGATES: readonly Aggregate[] = Object.keys(RULES).filter(isAggregate);

export function isAggregate(name: unknown): name is Aggregate {
  return typeof name === 'string' && Object.hasOwn(RULES, name);
}

export function aggregateOf(number: number): Aggregate {
  const aggregate = AGGREGATES[number];
  if (aggregate === undefined) throw new Error(`the aggregate ${number} is unknown: a newer version wrote it`);
  return aggregate;
}

/** Sums have four decimals, so that they are integers and do not depend on the order of their parts. */
const SCALE = 10_000;

function scaled(value: ComputedScalar): number {
  // Not -0, which a stored state would not keep.
  return Math.round(Number(value) * SCALE) + 0;
}

/** day, value */
function extreme(description: string, best: (one: number, other: number) => number): AggregateRule {
  return {
    description,
    take: (value) => numberIn(value, Infinity),
    width: 2,
    begin: (value) => [value],
    merge: byDay(2, (older, one, newer, other) => [best(Number(older[one + 1]), Number(newer[other + 1]))]),
    read(buckets, end) {
      if (end === 0) return null;
      let found = Number(buckets[1]);
      for (let place = 3; place < end; place += 2) found = best(found, Number(buckets[place]));
      return found;
    },
    weight: dailyWeight,
  };
}

function summand(value: Json): number | undefined {
  return numberIn(value, STATE_LIMITS.computedNumber);
}

/** Not 1e999, which JSON.parse reads as infinite and JSON cannot hold; not -0, which a stored state would not keep. */
function numberIn(value: Json, most: number): number | undefined {
  return Number.isFinite(value) && Math.abs(Number(value)) <= most ? Number(value) + 0 : undefined;
}

function scalarIn(value: Json): ComputedScalar | undefined {
  if (typeof value === 'string') return value.length <= STATE_LIMITS.computedTextLength ? value : undefined;
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : undefined;
  return typeof value === 'boolean' ? value : undefined;
}

/** The items after the day of two buckets of one day, which begin at `one` and `other`. */
type Join = (older: Buckets, one: number, newer: Buckets, other: number) => readonly ComputedScalar[];

function byDay(width: 2 | 3, join: Join): AggregateRule['merge'] {
  return (days, older, newer) => {
    const kept = firstDayKept(days, Math.max(Number(older[0]), Number(newer[0])));
    const result: ComputedScalar[] = [];
    let one = 0;
    let other = 0;
    while (one < older.length || other < newer.length) {
      const oneDay = one < older.length ? Number(older[one]) : -Infinity;
      const otherDay = other < newer.length ? Number(newer[other]) : -Infinity;
      if (Math.max(oneDay, otherDay) < kept) break;
      if (oneDay === otherDay) result.push(oneDay, ...join(older, one, newer, other));
      else if (oneDay > otherDay) pushBucket(result, older, one, width);
      else pushBucket(result, newer, other, width);
      if (oneDay >= otherDay) one += width;
      if (otherDay >= oneDay) other += width;
    }
    return result;
  };
}

/**
 * The oldest day that is kept beside a newest one: a day more than the window, because a clock that was ahead may have
 * made the newest day.
 */
function firstDayKept(days: number, newest: number): number {
  return days === 0 ? 0 : newest - days;
}

function pushBucket(result: ComputedScalar[], from: Buckets, at: number, width: number): void {
  for (let place = at; place < at + width; place++) result.push(from[place] ?? 0);
}

function added(older: Buckets, one: number, newer: Buckets, other: number): number {
  return Number(older[one]) + Number(newer[other]);
}

/** The newest values that may be kept. What a side lacks because of its own bound is older than all that it has. */
function mergedValues(days: number, older: Buckets, newer: Buckets): Buckets {
  const lastDays = new Map<number, number>();
  let newest = -Infinity;
  for (const side of [older, newer]) {
    for (let place = 0; place < side.length; place += 2) {
      const day = Number(side[place]);
      const hash = Number(side[place + 1]);
      newest = Math.max(newest, day);
      lastDays.set(hash, Math.max(day, lastDays.get(hash) ?? day));
    }
  }
  const kept = firstDayKept(days, newest);
  return [...lastDays]
    .filter(([, day]) => day >= kept)
    .sort(([oneHash, oneDay], [otherHash, otherDay]) => otherDay - oneDay || oneHash - otherHash)
    .slice(0, STATE_LIMITS.distinctValues)
    .flatMap(([hash, day]) => [day, hash]);
}

function total(buckets: Buckets, offset: number, width: number, end: number): number {
  let sum = 0;
  for (let place = offset; place < end; place += width) sum += Number(buckets[place]);
  return sum;
}

function dailyWeight(days: number): number {
  return days === 0 ? 1 : days + 1;
}
