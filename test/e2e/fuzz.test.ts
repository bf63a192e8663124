import { afterAll, beforeAll, expect, test } from 'vitest';
import { fuzzService } from '../fuzz/fuzz-service.ts';
import { startService, type RunningService } from '../support/running-service.ts';

/* A short run of `npm run fuzz`. A failure prints the input; `npm run fuzz -- --seed` repeats it. */

/**
 * Generous, because other tests run at the same time: `npm run fuzz` allows 50 ms. Attacks found took 500 ms and more.
 */
const STALL_LIMIT_MS = 250;

let service: RunningService;
beforeAll(async () => {
  service = await startService({ LOG_LEVEL: 'error' });
});
afterAll(() => service.stop());

test('seeded invalid input causes no crash, no 5xx and no stall of the main thread', async () => {
  const report = await fuzzService(service, { seed: 20_261_122, rounds: 12, stallLimitMs: STALL_LIMIT_MS });
  expect(report.problems).toEqual([]);
  // Most input must pass the first check: a fuzzer that only gets 401 tests nothing.
  const share = (status: number) => (report.answers.get(status) ?? 0) / report.requests;
  expect(share(200) + share(201)).toBeGreaterThan(0.1);
  expect(share(400)).toBeGreaterThan(0.1);
});
