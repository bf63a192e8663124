import type { Cancel, Clock } from './clock.ts';

/**
 * Measures how long single turns of this thread's event loop take.
 *
 * A repeating timer records how late it fires and how much CPU time this thread used since it last fired. Lateness is
 * the delay that anything on this thread meets, time in which the machine ran other threads included. The smaller of
 * the two is the stall, which is this thread's own work.
 */
export interface StallWatch {
  /** The longest stall in seconds since the last call. */
  takeLongestSeconds(): number;
  stop(): void;
}

/** 50 wake-ups a second: a negligible cost. */
const INTERVAL_MS = 20;

export interface StallHandlers {
  /** Called with the length, in seconds, of every turn longer than `INTERVAL_MS`. */
  onStall?: (seconds: number) => void;
  /** Called every `INTERVAL_MS` with the delay of the event loop in seconds. */
  onDelay?: (seconds: number) => void;
}

/** @param cpuMs CPU time of this thread so far, in milliseconds */
export function watchStalls(clock: Clock, cpuMs: () => number, { onStall, onDelay }: StallHandlers): StallWatch {
  let longestMs = 0;
  let firedAtMs = clock.monotonicMs();
  let cpuAtMs = cpuMs();
  let cancel: Cancel = () => {};

  function fire(): void {
    const nowMs = clock.monotonicMs();
    const nowCpuMs = cpuMs();
    const lateMs = Math.max(0, nowMs - firedAtMs - INTERVAL_MS);
    const stallMs = Math.min(lateMs, nowCpuMs - cpuAtMs);
    if (stallMs > longestMs) longestMs = stallMs;
    if (stallMs > INTERVAL_MS) onStall?.(stallMs / 1000);
    onDelay?.(lateMs / 1000);
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

/** CPU time of the calling thread so far, user and system, in milliseconds. */
export function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
