import type { Cancel, Clock } from '../../../src/kernel/clock.ts';
import { LIMITS } from '../../../src/kernel/limits.ts';

/** Calls on everybody at a rhythm of their own, counted from when they came. */
export interface Heartbeats<Who> {
  add(who: Who): void;
  remove(who: Who): void;
  /** Calls on nobody any more. */
  stop(): void;
}

/**
 * One timer for all: as everybody waits equally long, who was called on last is due last, and the map's order is that of
 * the due times. Those who came at once, as after a restart, are called on in goes of a bounded number.
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
      if (atMs > nowMs || due.length >= LIMITS.streamBeatsAtOnce) break;
      due.push(who);
    }
    for (const who of due) {
      // An earlier one's beat may have ended it.
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
