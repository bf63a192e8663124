import type { Cancel, Clock } from '../clock.ts';
import { METRICS_LIMITS } from './limits.ts';

/** Calls back for each member at a fixed interval, counted from when it was added. */
export interface Heartbeats<Who> {
  add(who: Who): void;
  remove(who: Who): void;
  /** Stops all calls. */
  stop(): void;
}

/**
 * One timer for all members. All intervals are equal, so the map's order is that of the due times. Members added
 * together, as after a restart, are called in bounded groups.
 */
export function createHeartbeats<Who>(options: {
  clock: Clock;
  intervalMs: number;
  beat: (who: Who) => void;
}): Heartbeats<Who> {
  const { clock, intervalMs, beat } = options;
  const dueMs = new Map<Who, number>();
  let cancelTimer: Cancel | undefined;
  let stopped = false;

  function arm(): void {
    cancelTimer?.();
    cancelTimer = undefined;
    const [nextMs] = dueMs.values();
    if (stopped || nextMs === undefined) return;
    cancelTimer = clock.timer(Math.max(0, Math.ceil(nextMs - clock.monotonicMs())), round);
  }

  function round(): void {
    cancelTimer = undefined;
    const nowMs = clock.monotonicMs();
    const due: Who[] = [];
    for (const [who, atMs] of dueMs) {
      if (atMs > nowMs || due.length >= METRICS_LIMITS.streamBeatsAtOnce) break;
      due.push(who);
    }
    for (const who of due) {
      // An earlier member's callback may have removed this one.
      if (!dueMs.delete(who)) continue;
      dueMs.set(who, nowMs + intervalMs);
      beat(who);
    }
    arm();
  }

  return {
    add(who) {
      dueMs.delete(who);
      dueMs.set(who, clock.monotonicMs() + intervalMs);
      if (cancelTimer === undefined) arm();
    },
    remove: (who) => void dueMs.delete(who),
    stop() {
      stopped = true;
      cancelTimer?.();
    },
  };
}
