import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Clock } from '../clock.ts';
import { threadCpuMs, watchStalls } from './event-loop-stalls.ts';
import { countAllocations } from './heap-allocations.ts';

/*
 * Metrics of one thread: its CPU time, its event loop and its allocations. Each thread has names of its own, because
 * the text of `/metrics` joins two registries and may name a metric once.
 */

/**
 * Adds the metrics of the calling thread, which is the main thread.
 * @returns a function to call when a request arrives, so that its turn is measured
 */
export function collectMainThread(clock: Clock, registers: Registry[]): () => void {
  const stalls = new Histogram({
    name: 'event_loop_stall_seconds',
    help: 'Turns of the main thread that took more than 20 ms of CPU time.',
    buckets: [0.03, 0.05, 0.1, 0.25, 0.5, 1, 5],
    registers,
  });
  const delays = delayHistogram('event_loop_delay_seconds', 'main thread', registers);
  const watch = watchStalls(clock, threadCpuMs, {
    onStall: (seconds) => stalls.observe(seconds),
    onDelay: (seconds) => delays.observe(seconds),
  });
  const longestStall: Gauge = new Gauge({
    name: 'event_loop_longest_stall_seconds',
    help: 'Longest turn of the main thread since the last scrape.',
    registers,
    collect: () => longestStall.set(watch.takeLongestSeconds()),
  });
  cpuGauge('main_thread_cpu_seconds', 'main thread', registers);
  allocationCounter('heap_allocated_bytes_total', 'main thread', clock, registers);
  return () => watch.workArrives();
}

/** Adds the metrics of the calling thread, which is the sinks' thread. */
export function collectSinksThread(clock: Clock, registers: Registry[]): void {
  const delays = delayHistogram('sinks_event_loop_delay_seconds', "sinks' thread", registers);
  watchStalls(clock, threadCpuMs, { onDelay: (seconds) => delays.observe(seconds) });
  cpuGauge('sinks_thread_cpu_seconds', "sinks' thread", registers);
  allocationCounter('sinks_heap_allocated_bytes_total', "sinks' thread", clock, registers);
}

/** Timers count in whole milliseconds: a smaller bucket would measure their rounding. */
const DELAY_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];

function delayHistogram(name: string, thread: string, registers: Registry[]): Histogram {
  return new Histogram({
    name,
    help: `How late a timer of the ${thread} fires, every 20 ms while it works; includes time in which other threads ran.`,
    buckets: DELAY_BUCKETS,
    registers,
  });
}

function cpuGauge(name: string, thread: string, registers: Registry[]): void {
  const cpu: Gauge = new Gauge({
    name,
    help: `CPU time of the ${thread} since the process started.`,
    registers,
    collect: () => cpu.set(threadCpuMs() / 1000),
  });
}

function allocationCounter(name: string, thread: string, clock: Clock, registers: Registry[]): void {
  const count = countAllocations(clock);
  let countedBytes = 0;
  const allocated: Counter = new Counter({
    name,
    help: `Bytes that the ${thread} allocated on its JavaScript heap. Buffers are not included.`,
    registers,
    collect() {
      const totalBytes = Math.max(countedBytes, count.totalBytes());
      allocated.inc(totalBytes - countedBytes);
      countedBytes = totalBytes;
    },
  });
}
