import type { WebhookDocument } from '../../../../core/vocabulary/documents/documents.ts';
import { DELIVERY_LIMITS } from './limits.ts';
import type { AttemptOutcome } from './sender.ts';

type RetryPolicy = WebhookDocument['retryPolicy'];

/**
 * Milliseconds from a failed attempt to the next one: the longer of the webhook's retry policy and the receiver's
 * `Retry-After`. `undefined`: there is no further attempt.
 * @param failedAttempt counted from 1
 * @param scheduleMs delays before the second attempt, the third, …, for the policy `exponential`
 * @param nowMs epoch milliseconds
 */
export function nextAttemptDelayMs(
  outcome: AttemptOutcome,
  failedAttempt: number,
  policy: RetryPolicy,
  scheduleMs: readonly number[],
  nowMs: number,
): number | undefined {
  const delayMs = retryDelayMs(policy, failedAttempt, scheduleMs);
  return delayMs === undefined ? undefined : Math.max(delayMs, retryAfterMs(outcome, nowMs));
}

/** Backoff `linear`: the same delay before every retry. */
const LINEAR_DELAY_MS = 5 * 60 * 1000;

/**
 * The delay that the retry policy sets. `exponential` follows the documented schedule and repeats its last delay;
 * `none` retries at once.
 */
export function retryDelayMs(
  policy: RetryPolicy,
  failedAttempt: number,
  scheduleMs: readonly number[],
): number | undefined {
  if (failedAttempt > policy.maxRetries) return undefined;
  switch (policy.backoff) {
    case 'exponential':
      return scheduleMs[Math.min(failedAttempt, scheduleMs.length) - 1] ?? 0;
    case 'linear':
      return LINEAR_DELAY_MS;
    case 'none':
      return 0;
  }
}

/** Statuses whose `Retry-After` counts. */
const STATUSES: ReadonlySet<number> = new Set([429, 503]);

/**
 * The delay that the receiver asks for (RFC 9110, section 10.2.3: whole seconds, or an HTTP date), at most
 * `retryAfterMaxMs`. 0 when the header is absent or malformed.
 */
export function retryAfterMs(outcome: AttemptOutcome, nowMs: number): number {
  if (outcome.kind !== 'answered' || !STATUSES.has(outcome.status)) return 0;
  const text = outcome.retryAfter?.trim() ?? '';
  if (text.length > LONGEST_DATE) return 0;
  const requestedMs = /^\d{1,15}$/.test(text) ? Number(text) * 1000 : untilDate(text, nowMs);
  return Math.min(Math.max(requestedMs, 0), DELIVERY_LIMITS.retryAfterMaxMs);
}

/** Characters of `Wednesday, 09-Nov-94 08:49:37 GMT`, the longest form of an HTTP date. */
const LONGEST_DATE = 33;

/** All three forms of an HTTP date begin with the name of a day and are in GMT; the oldest form does not say so. */
function untilDate(text: string, nowMs: number): number {
  const isDate = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /.test(text);
  const atMs = isDate ? Date.parse(text.endsWith('GMT') ? text : `${text} GMT`) : Number.NaN;
  return Number.isNaN(atMs) ? 0 : atMs - nowMs;
}
