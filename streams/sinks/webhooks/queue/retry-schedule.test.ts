import { expect, it } from 'vitest';
import { retryDelayMs } from './retry-schedule.ts';

const SCHEDULE = [60_000, 300_000, 1_800_000, 7_200_000];

function delays(backoff: 'exponential' | 'linear' | 'none', maxRetries: number): (number | undefined)[] {
  return Array.from({ length: maxRetries + 1 }, (_, i) => retryDelayMs({ maxRetries, backoff }, i + 1, SCHEDULE));
}

it('exponential is the documented schedule: 1, 5, 30 minutes, 2 hours, then no more', () => {
  expect(delays('exponential', 4)).toEqual([...SCHEDULE, undefined]);
});

it('repeats the last delay of the schedule when there are more retries', () => {
  expect(delays('exponential', 7)).toEqual([...SCHEDULE, 7_200_000, 7_200_000, 7_200_000, undefined]);
});

it('makes as many retries as the policy says, none at 0', () => {
  expect(delays('exponential', 1)).toEqual([60_000, undefined]);
  expect(delays('exponential', 0)).toEqual([undefined]);
});

it('linear waits five minutes each time, none does not wait', () => {
  expect(delays('linear', 3)).toEqual([300_000, 300_000, 300_000, undefined]);
  expect(delays('none', 2)).toEqual([0, 0, undefined]);
});
