import { LIMITS } from '../../src/kernel/limits.ts';
import { DAY_MS, dayOf } from '../../src/kernel/days.ts';
import type { EventCounter } from '../vocabulary/player.ts';

/**
 * The counters after `eventName` happened once more at `atMs` (epoch milliseconds). The name moves to the front; beyond
 * `LIMITS.countedNames` the name `forgets` is forgotten, or else the one counted longest ago. A moment before the counter's newest day counts on its
 * own day; one that is older than anything kept counts for nothing. Runs for every event: it copies pointers only.
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
    return first.concat(others.slice(0, LIMITS.countedNames - 1));
  }
  const counts = countsAfter(held, day);
  if (counts === undefined) return counters;
  return movedUp(counters.slice(), { name: held.name, day: Math.max(day, held.day), counts }, place);
}

/**
 * The name to forget for `eventName` where the one counted longest ago must be kept: of those that need not, the one counted
 * longest ago. `undefined` where nothing is forgotten, or simply the oldest is.
 */
export function forgottenFor(
  counters: readonly EventCounter[],
  eventName: string,
  isKept: (name: string) => boolean,
): string | undefined {
  if (counters.length < LIMITS.countedNames || placeOf(counters, eventName) < counters.length) return undefined;
  for (let place = counters.length - 1; place >= 0; place--) {
    const name = counters[place]?.name;
    if (name !== undefined && !isKept(name)) return place === counters.length - 1 ? undefined : name;
  }
  return undefined;
}

/**
 * How often `name` happened on the last `days` UTC days, the day of `nowMs` included. What was counted on a later day than
 * that (another node's clock was ahead) counts as today's.
 */
export function countWithin(counters: readonly EventCounter[], name: string, days: number, nowMs: number): number {
  const counter = counters[placeOf(counters, name)];
  return counter === undefined ? 0 : total(counter.counts, days - age(counter, nowMs));
}

/** UTC days since `name` last happened, 0 for today; `undefined` if it never did as far as is remembered. */
export function lastDaysAgo(counters: readonly EventCounter[], name: string, nowMs: number): number | undefined {
  const counter = counters[placeOf(counters, name)];
  return counter === undefined ? undefined : age(counter, nowMs);
}

/** The start of the UTC day on which `name` last happened, epoch milliseconds; `undefined` as for `lastDaysAgo`. */
export function lastDayStart(counters: readonly EventCounter[], name: string): number | undefined {
  const counter = counters[placeOf(counters, name)];
  return counter === undefined ? undefined : counter.day * DAY_MS;
}

/**
 * When `countWithin` with the same arguments changes next if nothing more happens: the midnight (UTC, epoch milliseconds,
 * after `nowMs`) at which the oldest day that still counts leaves the window. `undefined`: it is 0 already.
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

/** Where the name's counter is, or the list's length: a plain loop, which is several times faster than `findIndex`. */
function placeOf(counters: readonly EventCounter[], name: string): number {
  let place = 0;
  while (place < counters.length && counters[place]?.name !== name) place++;
  return place;
}

/** Puts `counter` first and what stood before `place` one further, over what stood there. `copyWithin` takes 20 times as long. */
function movedUp(list: EventCounter[], counter: EventCounter, place: number): EventCounter[] {
  let carried = counter;
  for (let at = 0; at <= place; at++) {
    const next = list[at] ?? counter;
    list[at] = carried;
    carried = next;
  }
  return list;
}

/** The counts with one more on `day`, from the newer of both days back; `undefined` if `day` is too long ago. */
function countsAfter({ counts, day: newest }: EventCounter, day: number): readonly number[] | undefined {
  if (day > newest) return shifted(counts, day - newest);
  const back = newest - day;
  if (back >= LIMITS.countedDays) return undefined;
  const next = counts.slice();
  while (next.length <= back) next.push(0);
  next[back] = (next[back] ?? 0) + 1;
  return next;
}

/** One on a day `gap` days after the newest so far; days that are too old by then fall off, and zeros at the end. */
function shifted(counts: readonly number[], gap: number): number[] {
  let kept = Math.min(counts.length, LIMITS.countedDays - gap);
  while (kept > 0 && counts[kept - 1] === 0) kept--;
  const next = [1];
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
