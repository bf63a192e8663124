import { MATCHING_LIMITS } from './limits.ts';

/** How many appends may be in flight at once. */
export interface AppendWindow {
  readonly size: number;
  /** Call it with the duration of every completed append. */
  completed(durationMs: number): void;
}

/**
 * Adapts the number of concurrent appends to the broker's disk: appends that wait there gain nothing, and delay the
 * next game's deliveries. Each slow append makes it one smaller, every four fast ones make it one larger.
 */
export function createAppendWindow(): AppendWindow {
  let size: number = MATCHING_LIMITS.matcherAppendsLeast;
  return {
    get size() {
      return Math.floor(size);
    },
    completed(durationMs) {
      if (durationMs > MATCHING_LIMITS.matcherAppendMs) size = Math.max(MATCHING_LIMITS.matcherAppendsLeast, size - 1);
      else size = Math.min(MATCHING_LIMITS.matcherAppends, size + GROWTH);
    },
  };
}

const GROWTH = 1 / 4;
