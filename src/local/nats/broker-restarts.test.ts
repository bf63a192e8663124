import { expect, test } from 'vitest';
import { createFakeClock } from '../../../test/support/in-memory/fake-clock.ts';
import { BROKER_LIMITS } from './limits.ts';
import { createBrokerRestarts } from './broker-restarts.ts';

test('a broker that stores nothing is restarted at once, and ever less often while that does not help', async () => {
  const clock = createFakeClock();
  const restarts: number[] = [];
  const broker = { pid: 1, restart: () => void restarts.push(clock.monotonicMs()) };
  const restart = createBrokerRestarts({ broker, clock, report: () => {} });
  const begin = clock.monotonicMs();
  for (let second = 0; second < 100; second++) {
    restart();
    await clock.advance(1_000);
  }
  expect(restarts.map((ms) => (ms - begin) / 1_000)).toEqual([0, 5, 15, 35, 75]);
  await clock.advance(BROKER_LIMITS.brokerRestartMaxMs);
  restart();
  await clock.advance(BROKER_LIMITS.brokerRestartMs);
  restart();
  expect(restarts).toHaveLength(7);
});

test('without a local broker nothing is restarted', () => {
  const restart = createBrokerRestarts({ broker: undefined, clock: createFakeClock(), report: () => {} });
  expect(restart).not.toThrow();
});
