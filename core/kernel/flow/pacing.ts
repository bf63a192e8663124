import type { Clock } from '../clock.ts';

/**
 * Decides how long a component gathers work before it sends the next message, so that messages that would follow each
 * other closely become one.
 *
 * Invariants
 * 1. A send later than `spacingMs` after the previous one is never delayed, and no send is delayed past that time.
 * 2. While pauses gather nothing (one caller that waits for each answer), most of them are skipped: the number skipped
 *   doubles with each useless pause, up to `MOST_SKIPPED`.
 */
export interface Pacing {
  /** Counts work that arrived. */
  arrived(): void;
  /** How long to wait before sending what has arrived, in milliseconds; 0: send now. Call `began` after the wait. */
  pauseMs(): number;
  /** A send begins. */
  began(): void;
}

/** A caller that waits for each answer then meets one pause in 33 requests. */
const MOST_SKIPPED = 32;
/** A timer cannot measure less. */
const LEAST_PAUSE_MS = 0.5;

export function createPacing(clock: Pick<Clock, 'monotonicMs'>, spacingMs: number): Pacing {
  let beganMs = -Infinity;
  let pausing = false;
  let arrivals = 0;
  let skipped = 0;
  let toSkip = 0;

  return {
    arrived() {
      arrivals += 1;
    },
    pauseMs() {
      const restMs = beganMs + spacingMs - clock.monotonicMs();
      if (restMs < LEAST_PAUSE_MS) return 0;
      if (skipped < toSkip) {
        skipped += 1;
        return 0;
      }
      pausing = true;
      arrivals = 0;
      return restMs;
    },
    began() {
      beganMs = clock.monotonicMs();
      if (!pausing) return;
      pausing = false;
      skipped = 0;
      toSkip = arrivals > 0 ? 0 : Math.min(MOST_SKIPPED, toSkip * 2 + 1);
    },
  };
}
