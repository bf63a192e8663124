import { expect, it, vi } from 'vitest';
import { createFakeClock } from '../../../test/support/in-memory/fake-clock.ts';
import { systemClock } from '../clock.ts';
import { threadCpuMs, watchStalls } from './event-loop-stalls.ts';

it('a busy turn of the event loop is measured', async () => {
  const seen: number[] = [];
  const watch = watchStalls(systemClock, threadCpuMs, { onStall: (seconds) => seen.push(seconds) });
  const until = threadCpuMs() + 80;
  // Uses CPU time instead of wall time, so the load of the machine does not matter.
  setImmediate(() => {
    while (threadCpuMs() < until);
  });
  await vi.waitFor(() => expect(Math.max(...seen)).toBeGreaterThan(0.05), { timeout: 20_000 });
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

it('the delay of the event loop is measured every 20 ms while this thread is busy', async () => {
  const clock = createFakeClock();
  const node = clock.node();
  const delays: number[] = [];
  const watch = watchStalls(node, () => clock.monotonicMs() / 2, { onDelay: (seconds) => delays.push(seconds) });
  await clock.advance(1_000);
  expect(delays).toHaveLength(50);
  node.pause();
  await clock.advance(120);
  node.resume();
  await clock.advance(20);
  expect(Math.max(...delays)).toBeCloseTo(0.1);
  watch.stop();
});

it('a thread at rest is woken twice a second, and every 20 ms as soon as work arrives', async () => {
  const clock = createFakeClock();
  const node = clock.node();
  let cpuMs = 0;
  const delays: number[] = [];
  const watch = watchStalls(node, () => cpuMs, { onDelay: (seconds) => delays.push(seconds) });
  await clock.advance(100);
  delays.length = 0;
  await clock.advance(10_000);
  expect(delays).toHaveLength(20);

  // One long turn, which begins with the arrival of a request.
  watch.workArrives();
  node.pause();
  cpuMs += 80;
  await clock.advance(80);
  node.resume();
  await clock.advance(1);
  expect(watch.takeLongestSeconds()).toBeCloseTo(0.06);
  watch.stop();
});

it('a long turn without an arrival is found, and the samples after it are close together', async () => {
  const clock = createFakeClock();
  const node = clock.node();
  let cpuMs = 0;
  let samples = 0;
  const watch = watchStalls(node, () => cpuMs, { onDelay: () => (samples += 1) });
  await clock.advance(600);
  node.pause();
  cpuMs += 700;
  await clock.advance(700);
  node.resume();
  await clock.advance(1);
  expect(watch.takeLongestSeconds()).toBeGreaterThan(0.15);
  samples = 0;
  await clock.advance(100);
  expect(samples).toBe(5);
  watch.stop();
});
