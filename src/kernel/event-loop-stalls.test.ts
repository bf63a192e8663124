import { expect, it, vi } from 'vitest';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { systemClock } from './clock.ts';
import { threadCpuMs, watchStalls } from './event-loop-stalls.ts';

it('a busy turn of the event loop is measured', async () => {
  const seen: number[] = [];
  const watch = watchStalls(systemClock, threadCpuMs, (seconds) => seen.push(seconds));
  const until = threadCpuMs() + 80;
  // Uses CPU time instead of wall time, so the load of the machine does not matter.
  setImmediate(() => {
    while (threadCpuMs() < until);
  });
  await vi.waitFor(() => expect(Math.max(...seen)).toBeGreaterThan(0.05));
  watch.stop();
  expect(Math.max(...seen)).toBeGreaterThan(0.05);
  expect(watch.takeLongestSeconds()).toBeGreaterThan(0.05);
  expect(watch.takeLongestSeconds()).toBe(0);
});

it('a timer that fires late while this thread is idle is not a stall', async () => {
  const clock = createFakeClock();
  const node = clock.node();
  const watch = watchStalls(
    node,
    () => 0,
    () => expect.fail('nothing ran'),
  );
  await clock.advance(100);
  node.pause();
  await clock.advance(5_000);
  node.resume();
  await clock.advance(100);
  expect(watch.takeLongestSeconds()).toBe(0);
  watch.stop();
});
