import { DAY_MS, dayOf } from '../../kernel/days.ts';
import type { Json } from '../../kernel/text/json.ts';
import type { ComputedUpdate } from '../documents/computed.ts';
import { AGGREGATE_RULES, type Aggregate, type Buckets } from './aggregates.ts';

/* The values of a computed property by UTC day, in one flat array; `aggregates.ts` says what a day holds. */

/** Buckets of one event at `atMs` (epoch milliseconds). */
export function bucketsOf(
  { aggregate, days, value }: Pick<ComputedUpdate, 'aggregate' | 'days' | 'value'>,
  atMs: number,
): Buckets {
  return [days === 0 ? 0 : dayOf(atMs), ...AGGREGATE_RULES[aggregate].begin(value, atMs)];
}

/** @param older of events that come before those of `newer` in the log, which matters within one millisecond */
export function merged(aggregate: Aggregate, days: number, older: Buckets, newer: Buckets): Buckets {
  if (older.length === 0) return newer;
  if (newer.length === 0) return older;
  return AGGREGATE_RULES[aggregate].merge(days, older, newer);
}

/**
 * The value at a time, as conditions and callers read it. Days after today (another node's clock was ahead) count as
 * today. Counts, sums and distinct values of nothing are 0, everything else is null.
 */
export function valueAt(aggregate: Aggregate, days: number, buckets: Buckets, nowMs: number): Json {
  const { read, width } = AGGREGATE_RULES[aggregate];
  return read(buckets, endOfWindow(days, buckets, width, nowMs));
}

/** When the value may change with time alone: the midnight at which the oldest day leaves the window. */
export function valueChangesAt(
  aggregate: Aggregate,
  days: number,
  buckets: Buckets,
  nowMs: number,
): number | undefined {
  if (days === 0) return undefined;
  const { width } = AGGREGATE_RULES[aggregate];
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
