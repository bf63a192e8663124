/** The service's source of time. Tests and the simulation replace it with a clock they control. */
export interface Clock {
  /** Wall time, milliseconds since the Unix epoch. May jump. */
  wallMs(): number;
  /** Milliseconds since some fixed moment. Never decreases. */
  monotonicMs(): number;
  /**
   * Calls `fn` once after `delayMs`, never synchronously; the returned function cancels it. With 0 it runs after the
   * I/O events of this turn of the event loop.
   */
  timer(delayMs: number, fn: () => void): Cancel;
  /**
   * The delay of a timer that repeats every `periodMs`, so that all timers with this period, on all threads, fire
   * together. At most a tenth longer than the period. A clock without this leaves each timer its own phase.
   */
  untilTickMs?(periodMs: number): number;
}

export type Cancel = () => void;

/** The machine's clock. Its timers keep the process alive, because they belong to running components. */
export const systemClock: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  timer(delayMs, fn) {
    if (delayMs === 0) {
      const immediate = setImmediate(fn);
      return () => clearImmediate(immediate);
    }
    const handle = setTimeout(fn, delayMs);
    return () => clearTimeout(handle);
  },
  untilTickMs(periodMs) {
    const restMs = periodMs - ((performance.timeOrigin + performance.now()) % periodMs);
    return Math.ceil(restMs < periodMs / 10 ? restMs + periodMs : restMs);
  },
};

/** The delay until a timer that repeats every `periodMs` fires next, together with others of this period if it can. */
export function untilTickMs(clock: Pick<Clock, 'untilTickMs'>, periodMs: number): number {
  return clock.untilTickMs?.(periodMs) ?? periodMs;
}

/** Repeats work every `periodMs`, from timers that fire together: a wake-up costs more than most of this work. */
export function nextTick(clock: Clock, periodMs: number, fn: () => void): Cancel {
  return clock.timer(untilTickMs(clock, periodMs), fn);
}

/** Resolves after `delayMs` of the given clock. */
export function sleep(clock: Pick<Clock, 'timer'>, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    clock.timer(delayMs, resolve);
  });
}

/** Resolves to `undefined` if `promise` takes longer than `timeoutMs` of the given clock. */
export function within<T>(clock: Clock, timeoutMs: number, promise: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const cancel = clock.timer(timeoutMs, () => resolve(undefined));
    promise.then(
      (value) => {
        cancel();
        resolve(value);
      },
      (error: unknown) => {
        cancel();
        reject(error instanceof Error ? error : new Error(String(error)));
      },
    );
  });
}
