import { LIMITS } from '../../../../src/kernel/limits.ts';
import type { AttemptOutcome } from './sender.ts';

/** Statuses whose Retry-After counts. */
const STATUSES: ReadonlySet<number> = new Set([429, 503]);

/**
 * How long the receiver asks to be left alone, in milliseconds, at most two hours; 0: it doesn't, or not in words of RFC 9110,
 * section 10.2.3 (whole seconds, or a date of HTTP).
 * @param nowMs epoch milliseconds
 */
export function retryAfterMs(outcome: AttemptOutcome, nowMs: number): number {
  if (outcome.kind !== 'answered' || !STATUSES.has(outcome.status)) return 0;
  const text = outcome.retryAfter?.trim() ?? '';
  if (text.length > LONGEST_DATE) return 0;
  const askedMs = /^\d{1,15}$/.test(text) ? Number(text) * 1000 : untilDate(text, nowMs);
  return Math.min(Math.max(askedMs, 0), LIMITS.retryAfterMaxMs);
}

/** Characters of `Wednesday, 09-Nov-94 08:49:37 GMT`, the longest form there is. */
const LONGEST_DATE = 33;

/** All three forms of a date of HTTP begin with the name of a day, and are of GMT; the oldest leaves that out. */
function untilDate(text: string, nowMs: number): number {
  const isDate = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /.test(text);
  const atMs = isDate ? Date.parse(text.endsWith('GMT') ? text : `${text} GMT`) : Number.NaN;
  return Number.isNaN(atMs) ? 0 : atMs - nowMs;
}
