import type { Cancel, Clock } from './clock.ts';

/**
 * Measures how long single turns of this thread's event loop last.
 *
 * A repeating timer notes how late it fires and how much processor time this thread took since it last fired. The
 * smaller of the two is the stall: lateness alone also counts time in which the machine ran something else.
 */
export interface StallWatch {
  /** The longest stall in seconds since the last call. */
  takeLongestSeconds(): number;
  stop(): void;
}

/** Short enough to see a stall of 10 ms, long enough to cost nothing: 50 wake-ups a second. */
const INTERVAL_MS = 20;

/**
 * @param cpuMs processor time of this thread so far, in milliseconds
 * @param onStall gets every turn that was longer than `INTERVAL_MS`, in seconds
 */
export function watchStalls(clock: Clock, cpuMs: () => number, onStall: (seconds: number) => void): StallWatch {
  let longestMs = 0;
  let firedAtMs = clock.monotonicMs();
  let cpuAtMs = cpuMs();
  let cancel: Cancel = () => {};

  function fire(): void {
    const nowMs = clock.monotonicMs();
    const nowCpuMs = cpuMs();
    const stallMs = Math.min(nowMs - firedAtMs - INTERVAL_MS, nowCpuMs - cpuAtMs);
    if (stallMs > longestMs) longestMs = stallMs;
    if (stallMs > INTERVAL_MS) onStall(stallMs / 1000);
    firedAtMs = nowMs;
    cpuAtMs = nowCpuMs;
    cancel = clock.timer(INTERVAL_MS, fire);
  }

  cancel = clock.timer(INTERVAL_MS, fire);
  return {
    takeLongestSeconds() {
      const taken = longestMs / 1000;
      longestMs = 0;
      return taken;
    },
    stop: () => cancel(),
  };
}

/** Processor time of the calling thread so far, user and system, in milliseconds. */
export function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
