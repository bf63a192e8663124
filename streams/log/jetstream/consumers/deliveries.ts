import type { Clock } from '../../../../core/kernel/clock.ts';

/**
 * Whether deliveries keep up with a stream. A cursor skips records that were trimmed below its position without a sign.
 * So a gap in the sequences proves that records have other subjects only if nothing can have been trimmed there.
 */
export interface Deliveries {
  /** Whether records in a gap before the next delivery may have been trimmed. */
  readonly mayHaveLost: boolean;
  /** A delivery, or a heartbeat without one (0), tells how many stored records follow. */
  reported(pending: number): void;
  /** No request is open, so records may be trimmed before their delivery. */
  stalled(): void;
  /** Another cursor follows. */
  restart(): void;
}

/** @param maxAgeMs after which the stream's records expire; 0: they do not */
export function createDeliveries(clock: Clock, maxAgeMs: number): Deliveries {
  /** When every stored record was delivered, by the monotonic clock; and whether deliveries kept up since. */
  let caughtUpMs: number | undefined;
  let keptUp = false;
  return {
    /** In a stream whose records expire (REQUESTS) it suffices that `caughtUpMs` is younger than their age. */
    get mayHaveLost() {
      if (caughtUpMs === undefined) return true;
      if (maxAgeMs > 0) return clock.monotonicMs() - caughtUpMs > maxAgeMs / 2;
      return !keptUp;
    },
    reported(pending) {
      keptUp = pending === 0;
      if (keptUp) caughtUpMs = clock.monotonicMs();
    },
    stalled() {
      keptUp = false;
    },
    restart() {
      keptUp = false;
      caughtUpMs = undefined;
    },
  };
}
