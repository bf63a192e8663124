import type { Cancel, Clock } from '../../../core/kernel/clock.ts';

/**
 * One direction of a client's connection: messages arrive later, in order. Without latency they arrive in a microtask,
 * so that delivery is asynchronous in tests without a clock too.
 */
export interface Pipe {
  send(deliver: () => void): void;
  /** Breaks the connection: messages in flight do not arrive. Returns them, for faults that deliver them anyway. */
  cut(): Array<() => void>;
}

/** @param latencyMs called for every message */
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
      // A delivery may have broken this connection, which drops the rest.
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
