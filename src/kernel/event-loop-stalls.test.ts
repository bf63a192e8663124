import { expect, it, vi } from 'vitest';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { systemClock } from './clock.ts';
import { threadCpuMs, watchStalls } from './event-loop-stalls.ts';

it('a busy turn of the event loop is measured', async () => {
  const seen: number[] = [];
  const watch = watchStalls(systemClock, threadCpuMs, (seconds) => seen.push(seconds));
  const until = threadCpuMs() + 80;
  // Spends processor time, not wall time, so that a busy machine changes nothing.
  setImmediate(() => {
    while (threadCpuMs() < until);
  });
  await vi.waitFor(() => expect(Math.max(...seen)).toBeGreaterThan(0.05));
  watch.stop();
  expect(Math.max(...seen)).toBeGreaterThan(0.05);
  expect(watch.takeLongestSeconds()).toBeGreaterThan(0.05);
  expect(watch.takeLongestSeconds()).toBe(0);
});

it('a timer that fires late without any work of this thread is no stall', async () => {
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
