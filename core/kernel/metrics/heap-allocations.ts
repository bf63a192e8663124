import { GCProfiler, getHeapStatistics, type GCProfilerResult } from 'node:v8';
import type { Cancel, Clock } from '../clock.ts';

/**
 * Counts the bytes that this thread allocates on its JavaScript heap. Memory outside of it, such as that of buffers,
 * is not included.
 *
 * V8 does not count allocations in this version of Node. Their sum is the growth of the heap plus all that collections
 * have freed.
 */
export interface AllocationCount {
  /** Bytes allocated since the count started. */
  totalBytes(): number;
  stop(): void;
}

/** The profiler keeps 3.5 kB per collection until it is stopped, so it restarts this often. */
const RESTART_MS = 10_000;

export function countAllocations(clock: Clock): AllocationCount {
  const usedAtStart = usedBytes();
  let freedBytes = 0;
  let profiler = started();
  let cancel: Cancel = clock.timer(RESTART_MS, repeat);

  function restart(): void {
    freedBytes += freedIn(profiler.stop());
    profiler = started();
  }

  function repeat(): void {
    restart();
    cancel = clock.timer(RESTART_MS, repeat);
  }

  return {
    totalBytes() {
      restart();
      return freedBytes + usedBytes() - usedAtStart;
    },
    stop() {
      cancel();
      profiler.stop();
    },
  };
}

/** Bytes that the collections of a profile have freed. */
function freedIn({ statistics }: GCProfilerResult): number {
  return statistics.reduce(
    (sum, { beforeGC, afterGC }) => sum + beforeGC.heapStatistics.usedHeapSize - afterGC.heapStatistics.usedHeapSize,
    0,
  );
}

function started(): GCProfiler {
  const profiler = new GCProfiler();
  profiler.start();
  return profiler;
}

function usedBytes(): number {
  return getHeapStatistics().used_heap_size;
}
