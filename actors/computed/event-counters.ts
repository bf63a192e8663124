import { COUNTER_LIMITS } from './limits.ts';
import { DAY_MS, dayOf } from '../../core/kernel/days.ts';
import type { EventCounter } from '../../core/vocabulary/state/player.ts';

/**
 * Returns the counters after one more `eventName` at `atMs` (epoch milliseconds), that name first. Beyond
 * `countedNames` it drops `forgets`, or by default the name counted longest ago. Late events count on their own
 * day while it is kept. Runs for every event, so it copies pointers only.
 */
export function counted(
  counters: readonly EventCounter[],
  eventName: string,
  atMs: number,
  forgets?: string,
): readonly EventCounter[] {
  const day = dayOf(atMs);
  const place = placeOf(counters, eventName);
  const held = counters[place];
  if (held === undefined) {
    const first: EventCounter[] = [{ name: eventName, day, counts: [1] }];
    const others = forgets === undefined ? counters : counters.filter(({ name }) => name !== forgets);
    return first.concat(others.slice(0, COUNTER_LIMITS.countedNames - 1));
  }
  const counts = countsAfter(held, day, 1);
  if (counts === undefined) return counters;
  return movedUp(counters.slice(), { name: held.name, day: Math.max(day, held.day), counts }, place);
}

/**
 * Returns the counters after `count` imported events of a name on one UTC day, in their order. A new name goes to the
 * end, and is not counted if there is no room: history evicts nothing that live events count.
 */
export function countedLate(
  counters: readonly EventCounter[],
  eventName: string,
  day: number,
  count: number,
): readonly EventCounter[] {
  const place = placeOf(counters, eventName);
  const held = counters[place];
  if (held === undefined) {
    if (counters.length >= COUNTER_LIMITS.countedNames) return counters;
    return [...counters, { name: eventName, day, counts: [count] }];
  }
  const counts = countsAfter(held, day, count);
  return counts === undefined
    ? counters
    : counters.with(place, { name: held.name, day: Math.max(day, held.day), counts });
}

/**
 * Returns the name to drop for `eventName` when the name counted longest ago must be kept: the oldest name that may be
 * dropped. `undefined` when nothing is dropped, or when the oldest is.
 */
export function forgottenFor(
  counters: readonly EventCounter[],
  eventName: string,
  isKept: (name: string) => boolean,
): string | undefined {
  if (counters.length < COUNTER_LIMITS.countedNames || placeOf(counters, eventName) < counters.length) return undefined;
  for (let place = counters.length - 1; place >= 0; place--) {
    const name = counters[place]?.name;
    if (name !== undefined && !isKept(name)) return place === counters.length - 1 ? undefined : name;
  }
  return undefined;
}

/**
 * Counts `name` over the last `days` UTC days, including the day of `nowMs`. Counts on a later day (another node's
 * clock was ahead) are included in today's.
 */
export function countWithin(counters: readonly EventCounter[], name: string, days: number, nowMs: number): number {
  const counter = counters[placeOf(counters, name)];
  return counter === undefined ? 0 : total(counter.counts, days - age(counter, nowMs));
}

/** UTC days since the last `name`, 0 for today; `undefined` if no counter is kept. */
export function lastDaysAgo(counters: readonly EventCounter[], name: string, nowMs: number): number | undefined {
  const counter = counters[placeOf(counters, name)];
  return counter === undefined ? undefined : age(counter, nowMs);
}

/** The start of the UTC day of the last `name`, epoch milliseconds; `undefined` as for `lastDaysAgo`. */
export function lastDayStart(counters: readonly EventCounter[], name: string): number | undefined {
  const counter = counters[placeOf(counters, name)];
  return counter === undefined ? undefined : counter.day * DAY_MS;
}

/**
 * When `countWithin` with the same arguments changes next without further events: the midnight (UTC, epoch
 * milliseconds, after `nowMs`) at which the oldest counted day leaves the window. `undefined`: it is already 0.
 */
export function countChangesAt(
  counters: readonly EventCounter[],
  name: string,
  days: number,
  nowMs: number,
): number | undefined {
  const counter = counters[placeOf(counters, name)];
  if (counter === undefined) return undefined;
  for (let back = Math.min(counter.counts.length, days - age(counter, nowMs)) - 1; back >= 0; back--) {
    if (counter.counts[back] !== 0) return (counter.day - back + days) * DAY_MS;
  }
  return undefined;
}

/** The index of the name's counter, or the list's length. A plain loop is several times faster than `findIndex`. */
function placeOf(counters: readonly EventCounter[], name: string): number {
  let place = 0;
  while (place < counters.length && counters[place]?.name !== name) place++;
  return place;
}

/** Moves `counter` to the front and shifts the items before `place` by one. `copyWithin` takes 20 times as long. */
function movedUp(list: EventCounter[], counter: EventCounter, place: number): EventCounter[] {
  let carried = counter;
  for (let at = 0; at <= place; at++) {
    const next = list[at] ?? counter;
    list[at] = carried;
    carried = next;
  }
  return list;
}

/** Adds `more` to the count of `day`. Index 0 is the newer of both days; `undefined` if `day` is too old. */
function countsAfter({ counts, day: newest }: EventCounter, day: number, more: number): readonly number[] | undefined {
  if (day > newest) return shifted(counts, day - newest, more);
  const back = newest - day;
  if (back >= COUNTER_LIMITS.countedDays) return undefined;
  const next = counts.slice();
  while (next.length <= back) next.push(0);
  next[back] = (next[back] ?? 0) + more;
  return next;
}

/** Starts a new day `gap` days after the newest. Drops days that are now too old, and trailing zeros. */
function shifted(counts: readonly number[], gap: number, first: number): number[] {
  let kept = Math.min(counts.length, COUNTER_LIMITS.countedDays - gap);
  while (kept > 0 && counts[kept - 1] === 0) kept--;
  const next = [first];
  if (kept <= 0) return next;
  for (let day = 1; day < gap; day++) next.push(0);
  for (let day = 0; day < kept; day++) next.push(counts[day] ?? 0);
  return next;
}

function age(counter: EventCounter, nowMs: number): number {
  return Math.max(0, dayOf(nowMs) - counter.day);
}

function total(counts: readonly number[], days: number): number {
  let sum = 0;
  for (let day = Math.min(days, counts.length) - 1; day >= 0; day--) sum += counts[day] ?? 0;
  return sum;
}
