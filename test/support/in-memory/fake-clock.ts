import type { Cancel, Clock } from '../../../core/kernel/clock.ts';

/**
 * A clock that advances only when a test says so. Timers fire in order of their due time, and everything that one sets
 * off (promises, immediates) completes before the next one fires, so every run is the same.
 */
export interface FakeClock extends Clock {
  /** Advances time by `durationMs` and fires every due timer, in order. Resolves when everything has completed. */
  advance(durationMs: number): Promise<void>;
  /** Advances by `stepMs` until `condition` holds. Rejects if it does not within `limitMs`. */
  advanceUntil(condition: () => boolean, limitMs?: number, stepMs?: number): Promise<void>;
  /** Completes everything that waits for no timer. */
  flush(): Promise<void>;
  /** Shifts every process's wall clock by `durationMs` (may be negative); the monotonic clock is unchanged. */
  jumpWall(durationMs: number): void;
  /** The clock of one process: the same time, with the process's own faults. */
  node(): FakeNode;
  /** The number of pending timers. */
  readonly timers: number;
}

/** One process's clock. */
export interface FakeNode extends Clock {
  /** Pauses the process: timers that come due fire at `resume`, all at once, as after SIGSTOP. */
  pause(): void;
  resume(): void;
  /** Shifts this process's wall clock by `durationMs` (may be negative). */
  jumpWall(durationMs: number): void;
  /** Ends the process: its timers never fire again. */
  kill(): void;
}

interface Timer {
  dueMs: number;
  order: number;
  fn: () => void;
}

/** Creates a clock that starts at `startWallMs`. */
export function createFakeClock(startWallMs = Date.UTC(2026, 0, 1)): FakeClock {
  let nowMs = 0;
  let wallOffsetMs = startWallMs;
  let order = 0;
  const timers = new Set<Timer>();

  function timer(delayMs: number, fn: () => void): Cancel {
    const entry: Timer = { dueMs: nowMs + Math.max(0, delayMs), order: order++, fn };
    timers.add(entry);
    return () => void timers.delete(entry);
  }

  function nextDue(untilMs: number): Timer | undefined {
    let best: Timer | undefined;
    for (const entry of timers) {
      if (entry.dueMs > untilMs) continue;
      if (best === undefined || entry.dueMs < best.dueMs || (entry.dueMs === best.dueMs && entry.order < best.order)) {
        best = entry;
      }
    }
    return best;
  }

  async function advance(durationMs: number): Promise<void> {
    const untilMs = nowMs + durationMs;
    await flush();
    for (;;) {
      const due = nextDue(untilMs);
      if (due === undefined) break;
      nowMs = Math.max(nowMs, due.dueMs);
      timers.delete(due);
      due.fn();
      await flush();
    }
    nowMs = untilMs;
  }

  const clock: FakeClock = {
    wallMs: () => wallOffsetMs + nowMs,
    monotonicMs: () => nowMs,
    timer,
    advance,
    flush,
    async advanceUntil(condition, limitMs = 60_000, stepMs = 10) {
      const untilMs = nowMs + limitMs;
      await flush();
      while (!condition()) {
        if (nowMs >= untilMs) throw new Error(`the condition did not hold within ${limitMs} ms of the fake clock`);
        await advance(stepMs);
      }
    },
    jumpWall(durationMs) {
      wallOffsetMs += durationMs;
    },
    node: () => createNode(clock),
    get timers() {
      return timers.size;
    },
  };
  return clock;
}

/** Some turns of the event loop: enough for chains of promises and immediates without timers. */
async function flush(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}

function createNode(clock: Clock): FakeNode {
  let offsetMs = 0;
  let state: 'running' | 'paused' | 'dead' = 'running';
  let held: Set<() => void> = new Set();

  return {
    wallMs: () => clock.wallMs() + offsetMs,
    monotonicMs: () => clock.monotonicMs(),
    timer(delayMs, fn) {
      let cancelled = false;
      const fire = () => {
        if (!cancelled && state === 'running') fn();
        else if (!cancelled && state === 'paused') held.add(fire);
      };
      const cancel = clock.timer(delayMs, fire);
      return () => {
        cancelled = true;
        cancel();
        held.delete(fire);
      };
    },
    pause() {
      if (state === 'running') state = 'paused';
    },
    resume() {
      if (state !== 'paused') return;
      state = 'running';
      const due = held;
      held = new Set();
      for (const fire of due) fire();
    },
    jumpWall(durationMs) {
      offsetMs += durationMs;
    },
    kill() {
      state = 'dead';
      held.clear();
    },
  };
}
