import { describe, expect, it } from 'vitest';
import { nextAttemptDelayMs, retryAfterMs, retryDelayMs } from './retry-delay.ts';

const SCHEDULE = [60_000, 300_000, 1_800_000, 7_200_000];

function delays(backoff: 'exponential' | 'linear' | 'none', maxRetries: number): (number | undefined)[] {
  return Array.from({ length: maxRetries + 1 }, (_, i) => retryDelayMs({ maxRetries, backoff }, i + 1, SCHEDULE));
}

describe('the retry policy', () => {
  it('exponential follows the documented schedule: 1, 5, 30 minutes, 2 hours, then no more', () => {
    expect(delays('exponential', 4)).toEqual([...SCHEDULE, undefined]);
  });

  it('exponential repeats the last delay of the schedule for further retries', () => {
    expect(delays('exponential', 7)).toEqual([...SCHEDULE, 7_200_000, 7_200_000, 7_200_000, undefined]);
  });

  it('the policy limits the number of retries; 0 means none', () => {
    expect(delays('exponential', 1)).toEqual([60_000, undefined]);
    expect(delays('exponential', 0)).toEqual([undefined]);
  });

  it('linear waits five minutes each time; none does not wait', () => {
    expect(delays('linear', 3)).toEqual([300_000, 300_000, 300_000, undefined]);
    expect(delays('none', 2)).toEqual([0, 0, undefined]);
  });
});

const NOW_MS = Date.UTC(2026, 0, 1, 12);
const requestedMs = (retryAfter: string | undefined, status = 429) =>
  retryAfterMs(
    { kind: 'answered', status, responseStart: '', ...(retryAfter === undefined ? {} : { retryAfter }) },
    NOW_MS,
  );

describe('Retry-After', () => {
  it.each([
    ['120', 120_000],
    [' 7 ', 7_000],
    ['0', 0],
    ['Thu, 01 Jan 2026 12:05:00 GMT', 300_000],
    ['Thursday, 01-Jan-26 12:05:00 GMT', 300_000],
    ['Thu Jan  1 12:05:00 2026', 300_000],
    ['Thu, 01 Jan 2026 11:00:00 GMT', 0],
  ])('%s is a delay of %i ms', (text, delayMs) => expect(requestedMs(text)).toBe(delayMs));

  it.each(['7201', '999999999999999', 'Thu, 01 Jan 2099 00:00:00 GMT'])('%s counts as two hours', (text) =>
    expect(requestedMs(text)).toBe(2 * 3600_000),
  );

  it.each([undefined, '', '-5', '1.5', '1e3', 'soon', '2026-01-01T12:05:00Z', '99999999999999999999'])(
    '%s is ignored',
    (text) => expect(requestedMs(text)).toBe(0),
  );

  it('counts for 429 and 503 only', () => {
    expect([429, 503, 500, 404, 301].map((status) => requestedMs('60', status))).toEqual([60_000, 60_000, 0, 0, 0]);
    expect(retryAfterMs({ kind: 'timed_out' }, NOW_MS)).toBe(0);
  });
});

it('the next attempt comes after the longer of the policy’s delay and Retry-After; none follows the last attempt', () => {
  const policy = { maxRetries: 2, backoff: 'linear' } as const;
  const delay = (attempt: number, retryAfter: string) =>
    nextAttemptDelayMs(
      { kind: 'answered', status: 503, responseStart: '', retryAfter },
      attempt,
      policy,
      SCHEDULE,
      NOW_MS,
    );
  expect([delay(1, '600'), delay(1, '5'), delay(3, '600')]).toEqual([600_000, 300_000, undefined]);
});
