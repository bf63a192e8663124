import type { Cancel, Clock } from '../../../core/kernel/clock.ts';
import type { ClientClocks } from '../../../streams/log/memory/connection.ts';
import type { Random } from '../random.ts';

/**
 * The time of a simulated world. It stands still while code runs and moves from one timer to the next, so nothing
 * depends on the machine. The reactions to promises that a timer resolves run before the next timer fires.
 */
export interface SimClock extends Clock {
  /** Fires timer after timer until `done` holds (true) or the clock reads `untilMs` (false). */
  run(done: () => boolean, untilMs: number): Promise<boolean>;
  /** Moves every process's wall clock forward by this much at once, as if the machines had been suspended. */
  jumpWall(durationMs: number): void;
  /** The clock of one process. */
  process(quartz?: Quartz): ProcessClock;
}

/** One process's clock, and the signals that the process can get. */
export interface ProcessClock extends Clock, ClientClocks {
  readonly state: 'running' | 'paused' | 'dead';
  /** SIGSTOP: no code of the process runs. */
  pause(): void;
  /** A suspended machine: as `pause`, and its monotonic clock stands still until it resumes. */
  suspend(): void;
  /** SIGCONT: runs all overdue timers and everything that arrived meanwhile, in the order of the event loop. */
  resume(): void;
  kill(): void;
  /**
   * Sets the difference between the process's wall clock and the world's (may be negative). Its monotonic clock is
   * unchanged.
   */
  setWall(offsetMs: number): void;
}

/** A machine's quartz: how fast its clocks run, and how far its wall clock is from the world's at the start. */
export interface Quartz {
  rate: number;
  wallOffsetMs: number;
}

const EXACT: Quartz = { rate: 1, wallOffsetMs: 0 };

interface Timer {
  dueMs: number;
  order: number;
  fn: (() => void) | undefined;
}

const START_WALL_MS = Date.UTC(2026, 0, 1);
/** A timer fires a little late, never early, each time by a different delay. */
const TIMER_JITTER_MS = 0.4;
/** Rounding: two times this near are the same. */
const SAME_TIME_MS = 0.001;
/** One run takes some ten thousand steps. */
const MOST_STEPS = 1_000_000;

export function createSimClock(random: Random): SimClock {
  const heap: Timer[] = [];
  let nowMs = 0;
  let wallOffsetMs = START_WALL_MS;
  let order = 0;
  let steps = 0;

  function timer(delayMs: number, fn: () => void): Cancel {
    const entry: Timer = { dueMs: nowMs + Math.max(0, delayMs), order: order++, fn };
    push(heap, entry);
    return () => {
      entry.fn = undefined;
    };
  }

  async function run(done: () => boolean, untilMs: number): Promise<boolean> {
    await promisesDone();
    while (!done()) {
      steps += 1;
      if (steps > MOST_STEPS) throw new Error('the run does not end: it fired more timers than the maximum');
      const next = pop(heap);
      if (next === undefined) return false;
      if (next.fn === undefined) continue;
      if (next.dueMs > untilMs) {
        push(heap, next);
        nowMs = untilMs;
        return false;
      }
      nowMs = Math.max(nowMs, next.dueMs);
      next.fn();
      await promisesDone();
    }
    return true;
  }

  const clock: SimClock = {
    wallMs: () => wallOffsetMs + Math.floor(nowMs),
    monotonicMs: () => nowMs,
    timer,
    run,
    jumpWall(durationMs) {
      wallOffsetMs += durationMs;
    },
    process: (quartz = EXACT) => createProcessClock(clock, random, quartz),
  };
  return clock;
}

/** An immediate runs only after every pending reaction to a promise has run. */
function promisesDone(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

function createProcessClock(world: SimClock, random: Random, { rate, wallOffsetMs }: Quartz): ProcessClock {
  let offsetMs = 0;
  /** Time that the monotonic clock stood still. */
  let frozenMs = 0;
  let suspendedAtMs: number | undefined;
  let state: ProcessClock['state'] = 'running';
  let heldTimers: (() => void)[] = [];
  let heldArrivals: (() => void)[] = [];

  const monotonicMs = (): number => ((suspendedAtMs ?? world.monotonicMs()) - frozenMs) * rate;
  const driftMs = (): number => Math.floor(world.monotonicMs() * (rate - 1));
  const view = { wallMs: () => world.wallMs() + wallOffsetMs + driftMs() + offsetMs, monotonicMs };

  function schedule(delayMs: number, fn: () => void, hold: (fire: () => void) => void, byOwnClock: boolean): Cancel {
    let cancelled = false;
    const dueMs = monotonicMs() + delayMs;
    const fire = (): void => {
      if (cancelled || state === 'dead') return;
      const leftMs = dueMs - monotonicMs();
      if (state === 'paused') hold(fire);
      else if (byOwnClock && leftMs > SAME_TIME_MS) cancel = world.timer(leftMs / rate, fire);
      else fn();
    };
    let cancel = world.timer(delayMs / rate, fire);
    return () => {
      cancelled = true;
      cancel();
    };
  }

  const timer = (delayMs: number, fn: () => void): Cancel =>
    schedule(delayMs + random.next() * TIMER_JITTER_MS, fn, (fire) => heldTimers.push(fire), true);
  const arrivals: Clock = {
    wallMs: view.wallMs,
    monotonicMs: () => world.monotonicMs(),
    timer: (delayMs, fn) => schedule(delayMs * rate, fn, (fire) => heldArrivals.push(fire), false),
  };
  return {
    ...view,
    timer,
    timers: { ...view, timer },
    arrivals,
    get state() {
      return state;
    },
    pause() {
      if (state === 'running') state = 'paused';
    },
    suspend() {
      if (state !== 'running') return;
      state = 'paused';
      suspendedAtMs = world.monotonicMs();
    },
    resume() {
      if (state !== 'paused') return;
      if (suspendedAtMs !== undefined) frozenMs += world.monotonicMs() - suspendedAtMs;
      suspendedAtMs = undefined;
      state = 'running';
      const held = random.chance(0.5) ? [...heldTimers, ...heldArrivals] : [...heldArrivals, ...heldTimers];
      heldTimers = [];
      heldArrivals = [];
      for (const fire of held) world.timer(0, fire);
    },
    kill() {
      state = 'dead';
      heldTimers = [];
      heldArrivals = [];
    },
    setWall(wantedMs) {
      offsetMs = wantedMs;
    },
  };
}

const before = (a: Timer, b: Timer): boolean => a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.order < b.order);

/** A binary heap in an array, earliest first. */
function push(heap: Timer[], timer: Timer): void {
  let at = heap.length;
  heap.push(timer);
  while (at > 0) {
    const parentAt = (at - 1) >> 1;
    const parent = heap[parentAt];
    if (parent === undefined || !before(timer, parent)) break;
    heap[at] = parent;
    at = parentAt;
  }
  heap[at] = timer;
}

function pop(heap: Timer[]): Timer | undefined {
  const top = heap[0];
  const last = heap.pop();
  if (top === undefined || last === undefined || heap.length === 0) return top;
  let at = 0;
  for (;;) {
    const [left, right] = [heap[2 * at + 1], heap[2 * at + 2]];
    if (left === undefined) break;
    const isRight = right !== undefined && before(right, left);
    const child = isRight ? right : left;
    if (!before(child, last)) break;
    heap[at] = child;
    at = 2 * at + (isRight ? 2 : 1);
  }
  heap[at] = last;
  return top;
}
