import { sleep, type Clock } from '../kernel/clock.ts';
import { LIMITS } from '../kernel/limits.ts';

/** Lets other requests run between the events of a large one. */
export interface Turns {
  /** To be awaited after each event; undefined while this turn has time left. */
  pause(): Promise<void> | undefined;
}

/** Begins the first turn. */
export function createTurns(clock: Clock): Turns {
  let beganMs = clock.monotonicMs();
  return {
    pause() {
      if (clock.monotonicMs() - beganMs < LIMITS.validationTurnMs) return undefined;
      return sleep(clock, 0).then(() => {
        beganMs = clock.monotonicMs();
      });
    },
  };
}
