import { type Clock, sleep } from '../../../../src/kernel/clock.ts';

/** Lets so many steps a second through. */
export interface Pace {
  /** Resolves when the next step may be made. */
  step(): Promise<void>;
}

const SECOND_MS = 1_000;

export function createPace(clock: Clock, perSecond: number): Pace {
  let steps = 0;
  let secondEndsMs = 0;
  return {
    async step() {
      const nowMs = clock.monotonicMs();
      if (nowMs >= secondEndsMs) {
        steps = 0;
        secondEndsMs = nowMs + SECOND_MS;
      } else if (steps >= perSecond) {
        await sleep(clock, secondEndsMs - nowMs);
        steps = 0;
        secondEndsMs = clock.monotonicMs() + SECOND_MS;
      }
      steps += 1;
    },
  };
}
