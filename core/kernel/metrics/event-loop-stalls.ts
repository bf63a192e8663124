import type { Cancel, Clock } from '../clock.ts';

/**
 * Measures how long single turns of this thread's event loop take.
 *
 * A repeating timer records how late it fires and how much CPU time this thread used since it last fired. Lateness is
 * the delay that anything on this thread meets, time in which the machine ran other threads included. The smaller of
 * the two is the stall, which is this thread's own work.
 *
 * A thread at rest would pay more for these wake-ups than for all its other work, so it is sampled less often. A turn
 * that begins with `workArrives` is measured as exactly as one of a busy thread.
 */
export interface StallWatch {
  /** Outside work arrives in this turn: sample at the short interval from now on. */
  workArrives(): void;
  /** The longest stall in seconds since the last call. */
  takeLongestSeconds(): number;
  stop(): void;
}

/** 50 wake-ups a second: a negligible cost for a busy thread. */
const INTERVAL_MS = 20;
const REST_INTERVAL_MS = 500;
/** A thread is at rest after this many samples without arrivals and with less than this share of CPU time. */
const REST_SAMPLES = 5;
const REST_SHARE = 0.1;

export interface StallHandlers {
  /** Called with the length, in seconds, of every turn longer than `INTERVAL_MS`. */
  onStall?: (seconds: number) => void;
  /** Called at every sample with the delay of the event loop in seconds. */
  onDelay?: (seconds: number) => void;
}

/** @param cpuMs CPU time of this thread so far, in milliseconds */
export function watchStalls(clock: Clock, cpuMs: () => number, { onStall, onDelay }: StallHandlers): StallWatch {
  let longestMs = 0;
  let firedAtMs = clock.monotonicMs();
  let cpuAtMs = cpuMs();
  let intervalMs = INTERVAL_MS;
  let quietSamples = 0;
  let cancel: Cancel = () => {};

  function fire(): void {
    const nowMs = clock.monotonicMs();
    const nowCpuMs = cpuMs();
    const lateMs = Math.max(0, nowMs - firedAtMs - intervalMs);
    const usedMs = nowCpuMs - cpuAtMs;
    const stallMs = Math.min(lateMs, usedMs);
    if (stallMs > longestMs) longestMs = stallMs;
    if (stallMs > INTERVAL_MS) onStall?.(stallMs / 1000);
    onDelay?.(lateMs / 1000);
    quietSamples = usedMs < (nowMs - firedAtMs) * REST_SHARE ? quietSamples + 1 : 0;
    again(nowMs, nowCpuMs);
  }

  function again(nowMs: number, nowCpuMs: number): void {
    firedAtMs = nowMs;
    cpuAtMs = nowCpuMs;
    intervalMs = quietSamples < REST_SAMPLES ? INTERVAL_MS : REST_INTERVAL_MS;
    cancel = clock.timer(intervalMs, fire);
  }

  cancel = clock.timer(INTERVAL_MS, fire);
  return {
    workArrives() {
      quietSamples = 0;
      if (intervalMs === INTERVAL_MS) return;
      cancel();
      again(clock.monotonicMs(), cpuMs());
    },
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
