import { DAY_MS, dayOf } from '../../kernel/days.ts';
import type { Json } from '../../kernel/text/json.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { numberOfText } from '../../kernel/text/text-number.ts';
import type { Aggregate, ComputedScalar, ComputedUpdate } from '../documents/computed.ts';

/*
 * The values of a computed property by UTC day, in one flat array: `[day, …]` for each day, the newest first.
 *
 *   count     day, number of events
 *   sum       day, sum in ten-thousandths
 *   average   day, sum in ten-thousandths, number of values
 *   max, min  day, value
 *   first     day, time of the day's first event (epoch milliseconds), value
 *   last      the same of the latest event only
 *   distinct  last day of the value, its hash; one for each value, equal days by ascending hash
 *
 * Without a window (`days` 0) the day is always 0.
 *
 * Invariants
 * 1. Merging is associative, and the order of merging matters only between events of the same millisecond.
 * 2. A day is kept while it is at most `days` before the newest one: a day more than the window, because a clock that
 *    was ahead may have made the newest day.
 */
export type Buckets = readonly ComputedScalar[];

/** Numbers of items in one bucket. */
const WIDTHS: Readonly<Record<Aggregate, 2 | 3>> = {
  count: 2,
  sum: 2,
  max: 2,
  min: 2,
  average: 3,
  first: 3,
  last: 3,
  distinct: 2,
};

/** Sums have four decimals, so that they are integers and do not depend on the order of their parts. */
const SCALE = 10_000;

/** Buckets of one event at `atMs` (epoch milliseconds). */
export function bucketsOf(
  { aggregate, days, value }: Pick<ComputedUpdate, 'aggregate' | 'days' | 'value'>,
  atMs: number,
): Buckets {
  const day = days === 0 ? 0 : dayOf(atMs);
  switch (aggregate) {
    case 'count':
    case 'max':
    case 'min':
      return [day, value];
    case 'sum':
      return [day, scaled(value)];
    case 'average':
      return [day, scaled(value), 1];
    case 'first':
    case 'last':
      return [day, atMs, value];
    case 'distinct':
      return [day, numberOfText(JSON.stringify(value))];
  }
}

function scaled(value: ComputedScalar): number {
  // Not -0, which a stored state would not keep.
  return Math.round(Number(value) * SCALE) + 0;
}

/** @param older of events that come before those of `newer` in the log, which matters within one millisecond */
export function merged(aggregate: Aggregate, days: number, older: Buckets, newer: Buckets): Buckets {
  if (older.length === 0) return newer;
  if (newer.length === 0) return older;
  if (aggregate === 'last') return Number(newer[1]) >= Number(older[1]) ? newer : older;
  if (aggregate === 'distinct') return mergedValues(days, older, newer);
  const width = WIDTHS[aggregate];
  const kept = firstDayKept(days, Math.max(Number(older[0]), Number(newer[0])));
  const result: ComputedScalar[] = [];
  let one = 0;
  let other = 0;
  while (one < older.length || other < newer.length) {
    const oneDay = one < older.length ? Number(older[one]) : -Infinity;
    const otherDay = other < newer.length ? Number(newer[other]) : -Infinity;
    if (Math.max(oneDay, otherDay) < kept) break;
    if (oneDay === otherDay) pushJoined(result, aggregate, older, one, newer, other);
    else if (oneDay > otherDay) pushBucket(result, older, one, width);
    else pushBucket(result, newer, other, width);
    if (oneDay >= otherDay) one += width;
    if (otherDay >= oneDay) other += width;
  }
  return result;
}

/** The oldest day that is kept beside a newest one. */
function firstDayKept(days: number, newest: number): number {
  return days === 0 ? 0 : newest - days;
}

function pushBucket(result: ComputedScalar[], from: Buckets, at: number, width: number): void {
  for (let place = at; place < at + width; place++) result.push(from[place] ?? 0);
}

/** Joins two buckets of the same day. */
function pushJoined(
  result: ComputedScalar[],
  aggregate: Exclude<Aggregate, 'last' | 'distinct'>,
  older: Buckets,
  one: number,
  newer: Buckets,
  other: number,
): void {
  const day = Number(older[one]);
  const before = older[one + 1] ?? 0;
  const after = newer[other + 1] ?? 0;
  switch (aggregate) {
    case 'max':
      result.push(day, Math.max(Number(before), Number(after)));
      return;
    case 'min':
      result.push(day, Math.min(Number(before), Number(after)));
      return;
    case 'average':
      result.push(day, Number(before) + Number(after), Number(older[one + 2]) + Number(newer[other + 2]));
      return;
    case 'first':
      if (Number(after) < Number(before)) pushBucket(result, newer, other, WIDTHS.first);
      else pushBucket(result, older, one, WIDTHS.first);
      return;
    case 'count':
    case 'sum':
      result.push(day, Number(before) + Number(after));
  }
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
    .slice(0, LIMITS.distinctValues)
    .flatMap(([hash, day]) => [day, hash]);
}

/**
 * The value at a time, as conditions and callers read it. Days after today (another node's clock was ahead) count as
 * today. Counts, sums and distinct values of nothing are 0, everything else is null.
 */
export function valueAt(aggregate: Aggregate, days: number, buckets: Buckets, nowMs: number): Json {
  const width = WIDTHS[aggregate];
  const end = endOfWindow(days, buckets, width, nowMs);
  switch (aggregate) {
    case 'count':
      return total(buckets, 1, width, end);
    case 'sum':
      return total(buckets, 1, width, end) / SCALE;
    case 'distinct':
      return end / width;
    case 'average':
      return end === 0 ? null : total(buckets, 1, width, end) / total(buckets, 2, width, end) / SCALE;
    case 'max':
    case 'min':
      return extreme(aggregate, buckets, end);
    case 'first':
      return end === 0 ? null : (buckets[end - 1] ?? null);
    case 'last':
      return end === 0 ? null : (buckets[2] ?? null);
  }
}

/** When the value may change with time alone: the midnight at which the oldest day leaves the window. */
export function valueChangesAt(
  aggregate: Aggregate,
  days: number,
  buckets: Buckets,
  nowMs: number,
): number | undefined {
  if (days === 0) return undefined;
  const width = WIDTHS[aggregate];
  const end = endOfWindow(days, buckets, width, nowMs);
  return end === 0 ? undefined : (Number(buckets[end - width]) + days) * DAY_MS;
}

/** The number of items in the window. */
function endOfWindow(days: number, buckets: Buckets, width: number, nowMs: number): number {
  if (days === 0) return buckets.length;
  const before = dayOf(nowMs) - days;
  let end = buckets.length;
  while (end > 0 && Number(buckets[end - width]) <= before) end -= width;
  return end;
}

function total(buckets: Buckets, offset: number, width: number, end: number): number {
  let sum = 0;
  for (let place = offset; place < end; place += width) sum += Number(buckets[place]);
  return sum;
}

function extreme(aggregate: 'max' | 'min', buckets: Buckets, end: number): number | null {
  if (end === 0) return null;
  let found = Number(buckets[1]);
  for (let place = 3; place < end; place += 2) {
    const value = Number(buckets[place]);
    if (aggregate === 'max' ? value > found : value < found) found = value;
  }
  return found;
}

/** The most buckets of a player's value, weighted by their size; see `LIMITS.computedBuckets`. */
export function weightOf(aggregate: Aggregate, days: number): number {
  if (aggregate === 'distinct') return LIMITS.distinctValues;
  const buckets = days === 0 || aggregate === 'last' ? 1 : days + 1;
  return aggregate === 'first' || aggregate === 'last' ? buckets * LIMITS.textBuckets : buckets;
}
