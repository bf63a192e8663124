import type { Clock } from '../../../../core/kernel/clock.ts';
import { createCallerShares, type CallerShares } from './caller-shares.ts';

/** The result of counting a request. */
export interface RateVerdict {
  allowed: boolean;
  /** Requests per minute. */
  limit: number;
  /** Requests left in the sliding minute, after this one. */
  remaining: number;
  /** Whole seconds, at least 1, until the oldest counted requests leave the minute. */
  resetSeconds: number;
}

/** Allowed requests of one key `ageSeconds` ago, as exchanged between gateways. */
export type RateCount = [key: string, ageSeconds: number, requests: number];

/**
 * Counts requests per key over a sliding minute, in seconds of the monotonic clock. Refused requests do not count. No
 * 60 seconds contain more allowed requests than the limit, because the window has 60 whole seconds besides the current
 * one. Gateways exchange ages instead of times, so they need no common clock.
 */
export interface RateLimiter {
  /** Keys with memory: 1 kB each. */
  readonly size: number;
  /**
   * @param caller the caller of a shared key; without it there is no fairness between callers
   * @param requests how many requests it counts as: all of them are allowed, or none
   */
  take(key: string, limitPerMinute: number, caller?: string, requests?: number): RateVerdict;
  /**
   * Counts a request against several limits: against all of them, or against none. Keys get memory only once all of
   * them allow it, so a key that callers choose needs one beside it that bounds the number of its kind.
   */
  takeAll(bounds: readonly (readonly [key: string, limitPerMinute: number])[]): boolean;
  /** Whether a request would be over one of several limits. Counts nothing. */
  isOver(bounds: readonly (readonly [key: string, limitPerMinute: number])[]): boolean;
  /** Counts a request for each key, whatever their limits. The caller bounds the keys that callers choose. */
  count(keys: readonly string[]): void;
  /** Counts a request of this caller once more, because it was malformed. The key's total does not change. */
  penalize(key: string, caller: string): void;
  /** Requests that this gateway allowed since the last call. */
  drain(): RateCount[];
  /** Sets what is called with the first request after each `drain`. */
  onCounted(first: () => void): void;
  /** Requests that this gateway allowed within the minute, for a new gateway. */
  recent(): RateCount[];
  /** Adds the requests that other gateways allowed. */
  merge(counts: readonly RateCount[]): void;
  /** Forgets keys without a request in the last minute. */
  sweep(): void;
}

const SLOTS = 61;

interface KeyWindow {
  /** Requests per second, by second modulo SLOTS; `own` counts those that this gateway allowed. */
  all: Uint32Array;
  own: Uint32Array;
  /** The newest second with a slot. */
  head: number;
  /** All slots before this second are 0. */
  oldest: number;
  total: number;
  unsent: number;
  /** Undefined until a request has a caller. */
  shares: CallerShares | undefined;
}

export function createRateLimiter(clock: Clock): RateLimiter {
  const windows = new Map<string, KeyWindow>();
  const unsent = new Set<string>();
  let countedFirst = (): void => {};
  const nowSecond = (): number => Math.floor(clock.monotonicMs() / 1000);

  function windowOf(key: string, second: number): KeyWindow {
    let window = windows.get(key);
    if (window === undefined) {
      const slots = (): Uint32Array => new Uint32Array(SLOTS);
      window = { all: slots(), own: slots(), head: second, oldest: second, total: 0, unsent: 0, shares: undefined };
      windows.set(key, window);
    }
    advance(window, second);
    return window;
  }

  function countsOf(pick: (window: KeyWindow, second: number) => number): RateCount[] {
    const now = nowSecond();
    const counts: RateCount[] = [];
    for (const [key, window] of windows) {
      advance(window, now);
      for (let second = window.oldest; second <= now; second++) {
        const requests = pick(window, second);
        if (requests > 0) counts.push([key, now - second, requests]);
      }
    }
    return counts;
  }

  function allows(key: string, limitPerMinute: number, second: number): boolean {
    const window = windows.get(key);
    if (window === undefined) return limitPerMinute > 0;
    advance(window, second);
    return window.total < limitPerMinute;
  }

  function count(key: string, window: KeyWindow, second: number, requests: number): void {
    add(window, second, requests);
    window.own[modulo(second)] = (window.own[modulo(second)] ?? 0) + requests;
    window.unsent += requests;
    if (unsent.size === 0) countedFirst();
    unsent.add(key);
  }

  function isOver(bounds: readonly (readonly [string, number])[]): boolean {
    const second = nowSecond();
    return !bounds.every(([key, limit]) => allows(key, limit, second));
  }

  function countAll(keys: readonly string[]): void {
    const second = nowSecond();
    for (const key of keys) count(key, windowOf(key, second), second, 1);
  }

  return {
    get size() {
      return windows.size;
    },
    isOver,
    count: countAll,
    takeAll(bounds) {
      if (isOver(bounds)) return false;
      countAll(bounds.map(([key]) => key));
      return true;
    },
    take(key, limitPerMinute, caller, requests = 1) {
      const nowMs = clock.monotonicMs();
      const second = Math.floor(nowMs / 1000);
      const window = windowOf(key, second);
      const allowed = window.total + requests <= limitPerMinute;
      if (allowed && caller !== undefined) {
        window.shares ??= createCallerShares();
        const waitSeconds = window.shares.waitSeconds(caller, nowMs, window.total, limitPerMinute);
        if (waitSeconds > 0) return { allowed: false, limit: limitPerMinute, remaining: 0, resetSeconds: waitSeconds };
        window.shares.add(caller, nowMs, requests);
      }
      if (allowed) count(key, window, second, requests);
      return {
        allowed,
        limit: limitPerMinute,
        remaining: Math.max(0, limitPerMinute - window.total),
        resetSeconds: Math.max(1, Math.ceil(window.oldest + SLOTS - nowMs / 1000)),
      };
    },
    penalize(key, caller) {
      windows.get(key)?.shares?.add(caller, clock.monotonicMs(), 1);
    },
    drain() {
      const counts: RateCount[] = [];
      for (const key of unsent) {
        const window = windows.get(key);
        if (window === undefined) continue;
        counts.push([key, 0, window.unsent]);
        window.unsent = 0;
      }
      unsent.clear();
      return counts;
    },
    onCounted(first) {
      countedFirst = first;
    },
    recent: () => countsOf((window, second) => window.own[modulo(second)] ?? 0),
    merge(counts) {
      const now = nowSecond();
      for (const [key, ageSeconds, requests] of counts) {
        if (ageSeconds < 0 || ageSeconds >= SLOTS || requests <= 0) continue;
        add(windowOf(key, now), now - Math.floor(ageSeconds), requests);
      }
    },
    sweep() {
      const now = nowSecond();
      for (const [key, window] of windows) {
        advance(window, now);
        const idle = window.shares === undefined || window.shares.isIdle(clock.monotonicMs());
        if (window.total === 0 && window.unsent === 0 && idle) windows.delete(key);
      }
    },
  };
}

function add(window: KeyWindow, second: number, requests: number): void {
  window.all[modulo(second)] = (window.all[modulo(second)] ?? 0) + requests;
  window.total += requests;
  if (second < window.oldest) window.oldest = second;
}

/** Clears the slots of seconds that left the minute. */
function advance(window: KeyWindow, second: number): void {
  const first = Math.max(window.head + 1, second - SLOTS + 1);
  for (let freed = first; freed <= second; freed++) {
    window.total -= window.all[modulo(freed)] ?? 0;
    window.all[modulo(freed)] = 0;
    window.own[modulo(freed)] = 0;
  }
  window.head = Math.max(window.head, second);
  window.oldest = Math.max(window.oldest, second - SLOTS + 1);
  while (window.oldest < second && window.all[modulo(window.oldest)] === 0) window.oldest += 1;
}

/** Seconds may be negative: a new process receives counts from before its monotonic clock started. */
function modulo(second: number): number {
  return ((second % SLOTS) + SLOTS) % SLOTS;
}
