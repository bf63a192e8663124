import type { Interval } from '../../../clickhouse-schema/queries/questions/question.ts';
import { ANALYTICS_LIMITS } from './limits.ts';
import { dateOf, dayIn, startOfDayIn, startOfHourIn } from '../../../core/kernel/zoned-days.ts';

/** Times are epoch milliseconds; `zone` is the game's. */
interface Range {
  fromMs: number;
  toMs: number;
  zone: string;
}

const HOUR_MS = 3_600_000;
/** 1970-01-05 was the first Monday. */
const FIRST_MONDAY = 4;

/**
 * The starts of the intervals that a range meets, epoch milliseconds; the first may lie before the range. At most one
 * more than `trendPoints`.
 */
export function bucketsOf(interval: Interval, { fromMs, toMs, zone }: Range): number[] {
  const starts: number[] = [];
  for (
    let at = startOf(interval, zone, fromMs);
    at < toMs && starts.length <= ANALYTICS_LIMITS.trendPoints;
    at = endOf(interval, zone, at)
  ) {
    starts.push(at);
  }
  return starts;
}

/**
 * The range with its first and last interval whole: a month that the range cuts would show a part of its figure, as if
 * that were all.
 */
export function wholeIntervals(interval: Interval, { fromMs, toMs, zone }: Range) {
  return {
    fromMs: startOf(interval, zone, fromMs),
    toMs: endOf(interval, zone, startOf(interval, zone, toMs - 1)),
  };
}

/** The start of as many intervals before a range of whole ones as it has. */
export function periodBefore(interval: Interval, range: Range): number {
  let startMs = range.fromMs;
  for (let count = bucketsOf(interval, range).length; count > 0; count -= 1) {
    startMs = intervalBefore(interval, range.zone, startMs);
  }
  return startMs;
}

/** The start of the interval that ends where another begins. */
export function intervalBefore(interval: Interval, zone: string, startMs: number): number {
  return startOf(interval, zone, startMs - 1);
}

function startOf(interval: Interval, zone: string, ms: number): number {
  if (interval === 'hour') return startOfHourIn(zone, ms);
  return startOfDayIn(zone, firstDayOf(interval, dayIn(zone, ms)));
}

/** The start of the next interval. */
export function endOf(interval: Interval, zone: string, startMs: number): number {
  if (interval === 'hour') return startOfHourIn(zone, startMs + HOUR_MS);
  const first = dayIn(zone, startMs);
  for (let day = nextOf(interval, first); ; day += 1) {
    // A day that the zone left out begins when the next one does.
    const end = startOfDayIn(zone, day);
    if (end > startMs) return end;
  }
}

/** Whether the Nth interval after the one that begins on a day is over. */
export function isOver(interval: Days, zone: string, firstDay: number, n: number, nowMs: number): boolean {
  let day = nextOf(interval, firstDay);
  if (interval === 'month') for (let month = 0; month < n; month += 1) day = nextOf('month', day);
  else day += n * (interval === 'week' ? 7 : 1);
  return startOfDayIn(zone, day) <= nowMs;
}

type Days = Exclude<Interval, 'hour'>;

function firstDayOf(interval: Days, day: number): number {
  switch (interval) {
    case 'day':
      return day;
    case 'week':
      return day - ((((day - FIRST_MONDAY) % 7) + 7) % 7);
    case 'month':
      return day + 1 - Number(dateOf(day).slice(-2));
  }
}

function nextOf(interval: Days, first: number): number {
  if (interval === 'month') return firstDayOf('month', firstDayOf('month', first) + 31);
  return first + (interval === 'week' ? 7 : 1);
}
