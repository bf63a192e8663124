import { expect, it, vi } from 'vitest';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { systemClock } from './clock.ts';
import { threadCpuMs, watchStalls } from './event-loop-stalls.ts';

it('a busy turn of the event loop is measured', async () => {
  const seen: number[] = [];
  const watch = watchStalls(systemClock, threadCpuMs, { onStall: (seconds) => seen.push(seconds) });
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
  const watch = watchStalls(node, () => 0, { onStall: () => expect.fail('nothing ran') });
  await clock.advance(100);
  node.pause();
  await clock.advance(5_000);
  node.resume();
  await clock.advance(100);
  expect(watch.takeLongestSeconds()).toBe(0);
  watch.stop();
});

it('the delay of the event loop is measured every 20 ms, also while this thread is idle', async () => {
  const clock = createFakeClock();
  const node = clock.node();
  const delays: number[] = [];
  const watch = watchStalls(node, () => 0, { onDelay: (seconds) => delays.push(seconds) });
  await clock.advance(100);
  expect(delays).toEqual([0, 0, 0, 0, 0]);
  node.pause();
  await clock.advance(120);
  node.resume();
  await clock.advance(20);
  expect(Math.max(...delays)).toBeCloseTo(0.1);
  watch.stop();
});
