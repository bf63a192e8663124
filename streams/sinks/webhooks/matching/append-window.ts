import { LIMITS } from '../../../../src/kernel/limits.ts';

/** How many appends may be in flight at once. */
export interface AppendWindow {
  readonly size: number;
  /** An append was answered after so long. */
  answered(durationMs: number): void;
}

/**
 * Follows how long the broker takes: appends that wait for its disk make nothing faster, and stand before what comes next. One fewer with
 * each slow answer, and one more with every few fast ones.
 */
export function createAppendWindow(): AppendWindow {
  let size: number = LIMITS.matcherAppendsLeast;
  return {
    get size() {
      return Math.floor(size);
    },
    answered(durationMs) {
      if (durationMs > LIMITS.matcherAppendMs) size = Math.max(LIMITS.matcherAppendsLeast, size - 1);
      else size = Math.min(LIMITS.matcherAppends, size + GROWTH);
    },
  };
}

const GROWTH = 1 / 4;
