import type { Cancel, Clock } from '../../../src/kernel/clock.ts';

/**
 * One direction of a client's connection: what is sent arrives later, in order. Without latency it arrives in a
 * microtask, so that a test without a clock still sees everything asynchronous.
 */
export interface Pipe {
  send(deliver: () => void): void;
  /** The connection breaks: what is under way never arrives. Returns what was lost, for a fault that delivers it. */
  cut(): Array<() => void>;
}

/** @param latencyMs asked once for every message */
export function createPipe(clock: Clock, latencyMs: () => number): Pipe {
  let queue: Array<{ atMs: number; deliver: () => void }> = [];
  let armed: Cancel | undefined;

  function arm(): void {
    const head = queue[0];
    if (head === undefined || armed !== undefined) return;
    const waitMs = head.atMs - clock.monotonicMs();
    if (waitMs > 0) {
      armed = clock.timer(waitMs, drain);
      return;
    }
    let cancelled = false;
    armed = () => {
      cancelled = true;
    };
    queueMicrotask(() => {
      if (!cancelled) drain();
    });
  }

  function drain(): void {
    const nowMs = clock.monotonicMs();
    const current = queue;
    let head = current[0];
    while (head !== undefined && head.atMs <= nowMs) {
      current.shift();
      head.deliver();
      // A delivery may have cut this pipe: then the rest is lost and another queue is in place.
      if (queue !== current) return;
      head = current[0];
    }
    armed = undefined;
    arm();
  }

  return {
    send(deliver) {
      const atMs = Math.max(clock.monotonicMs() + latencyMs(), queue.at(-1)?.atMs ?? 0);
      queue.push({ atMs, deliver });
      arm();
    },
    cut() {
      const lost = queue.map((message) => message.deliver);
      queue = [];
      armed?.();
      armed = undefined;
      return lost;
    },
  };
}
