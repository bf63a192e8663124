import type { Cancel, Clock } from '../../src/kernel/clock.ts';

/**
 * A clock that moves only when a test says so. Timers fire in order of their due time, and what they set off has settled
 * (promises, immediates) before the next one fires, so a run is the same every time.
 */
export interface FakeClock extends Clock {
  /** Moves time on by `durationMs`, firing every timer that comes due, in order. Resolves when all has settled. */
  advance(durationMs: number): Promise<void>;
  /** Advances by `stepMs` until `condition` holds. Rejects if it does not within `limitMs`. */
  advanceUntil(condition: () => boolean, limitMs?: number, stepMs?: number): Promise<void>;
  /** Waits until what is under way without any timer has settled. */
  settle(): Promise<void>;
  /** Sets the wall clock of everybody off by `durationMs` (may be negative); the monotonic clock is untouched. */
  jumpWall(durationMs: number): void;
  /** The clock of one process: same time, with its own faults. */
  node(): FakeNode;
  /** Timers waiting. */
  readonly timers: number;
}

/** One process's view of the time. */
export interface FakeNode extends Clock {
  /** Stops the process: its timers that come due fire at `resume`, all at once, as after SIGSTOP. */
  pause(): void;
  resume(): void;
  /** Sets this process's wall clock off by `durationMs` (may be negative). */
  jumpWall(durationMs: number): void;
  /** Ends the process: its timers never fire any more. */
  kill(): void;
}

interface Timer {
  dueMs: number;
  order: number;
  fn: () => void;
}

/** Makes a clock that stands at `startWallMs`. */
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
    await settle();
    for (;;) {
      const due = nextDue(untilMs);
      if (due === undefined) break;
      nowMs = Math.max(nowMs, due.dueMs);
      timers.delete(due);
      due.fn();
      await settle();
    }
    nowMs = untilMs;
  }

  const clock: FakeClock = {
    wallMs: () => wallOffsetMs + nowMs,
    monotonicMs: () => nowMs,
    timer,
    advance,
    settle,
    async advanceUntil(condition, limitMs = 60_000, stepMs = 10) {
      const untilMs = nowMs + limitMs;
      await settle();
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

/** A few turns of the event loop: enough for chains of promises and immediates that wait for no timer. */
async function settle(): Promise<void> {
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
