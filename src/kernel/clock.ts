/** Time as the service sees it, so that a test or the simulation can be the one who moves it. */
export interface Clock {
  /** Wall time, milliseconds since the Unix epoch. May jump. */
  wallMs(): number;
  /** Milliseconds since some fixed moment; never goes back. */
  monotonicMs(): number;
  /**
   * Calls `fn` once after `delayMs`; the returned function cancels it. Never calls synchronously; with 0 as soon as this turn
   * of the event loop has dealt with what came in.
   */
  timer(delayMs: number, fn: () => void): Cancel;
}

export type Cancel = () => void;

/** The machine's clock. Its timers keep the process alive, as they belong to running components. */
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
};

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
