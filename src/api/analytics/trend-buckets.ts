import type { Interval } from '../../../clickhouse-schema/queries/questions/question.ts';
import { ANALYTICS_LIMITS } from './limits.ts';
import { DAY_MS } from '../../../core/kernel/days.ts';

const HOUR_MS = 3_600_000;
/** 1970-01-05 was the first Monday. */
const FIRST_MONDAY_MS = 4 * DAY_MS;

/**
 * The starts of the intervals that a range meets, in UTC, epoch milliseconds; the first may lie before the range. At
 * most one more than `trendPoints`.
 */
export function bucketsOf(interval: Interval, { fromMs, toMs }: { fromMs: number; toMs: number }): number[] {
  const starts: number[] = [];
  for (
    let at = startOf(interval, fromMs);
    at < toMs && starts.length <= ANALYTICS_LIMITS.trendPoints;
    at = endOf(interval, at)
  ) {
    starts.push(at);
  }
  return starts;
}

/**
 * The range with its first and last interval whole: a month that the range cuts would show a part of its figure, as if
 * that were all.
 */
export function wholeIntervals(interval: Interval, { fromMs, toMs }: { fromMs: number; toMs: number }) {
  return { fromMs: startOf(interval, fromMs), toMs: endOf(interval, startOf(interval, toMs - 1)) };
}

function startOf(interval: Interval, ms: number): number {
  switch (interval) {
    case 'hour':
      return Math.floor(ms / HOUR_MS) * HOUR_MS;
    case 'day':
      return Math.floor(ms / DAY_MS) * DAY_MS;
    case 'week':
      return Math.floor((ms - FIRST_MONDAY_MS) / (7 * DAY_MS)) * 7 * DAY_MS + FIRST_MONDAY_MS;
    case 'month':
      return monthOf(ms, 0);
  }
}

/** The start of the next interval. */
export function endOf(interval: Interval, startMs: number): number {
  switch (interval) {
    case 'hour':
      return startMs + HOUR_MS;
    case 'day':
      return startMs + DAY_MS;
    case 'week':
      return startMs + 7 * DAY_MS;
    case 'month':
      return monthOf(startMs, 1);
  }
}

function monthOf(ms: number, later: number): number {
  const date = new Date(ms);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later, 1);
}
