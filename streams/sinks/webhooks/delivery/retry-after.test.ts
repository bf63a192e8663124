import { describe, expect, it } from 'vitest';
import { retryAfterMs } from './retry-after.ts';

const NOW_MS = Date.UTC(2026, 0, 1, 12);
const asked = (retryAfter: string | undefined, status = 429) =>
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
  ])('%s is a delay of %i ms', (text, delayMs) => expect(asked(text)).toBe(delayMs));

  it.each(['7201', '999999999999999', 'Thu, 01 Jan 2099 00:00:00 GMT'])('%s counts as two hours', (text) =>
    expect(asked(text)).toBe(2 * 3600_000),
  );

  it.each([undefined, '', '-5', '1.5', '1e3', 'soon', '2026-01-01T12:05:00Z', '99999999999999999999'])(
    '%s is none',
    (text) => expect(asked(text)).toBe(0),
  );

  it('counts with 429 and 503 only', () => {
    expect([429, 503, 500, 404, 301].map((status) => asked('60', status))).toEqual([60_000, 60_000, 0, 0, 0]);
    expect(retryAfterMs({ kind: 'timed_out' }, NOW_MS)).toBe(0);
  });
});
