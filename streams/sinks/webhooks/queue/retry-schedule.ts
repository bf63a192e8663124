import type { WebhookDocument } from '../../../../actors/vocabulary/documents.ts';

type RetryPolicy = WebhookDocument['retryPolicy'];

/** Backoff `linear`: the same delay before every retry. */
const LINEAR_DELAY_MS = 5 * 60 * 1000;

/**
 * How long after the failure of attempt `failedAttempt` (from 1) the next one is due, in milliseconds; `undefined`: there
 * is none any more. `exponential` follows the documented schedule and repeats its last delay; `none` means no waiting, so
 * all retries of the policy follow one another at once.
 * @param scheduleMs delays before the second attempt, the third, …
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
