import { sleep, type Clock } from '../../../core/kernel/clock.ts';
import { ROUTE_LIMITS } from './limits.ts';

/** Yields to other requests while a large request is validated event by event. */
export interface Turns {
  /** Await the result before each event; undefined while the current turn has time left. */
  pause(): Promise<void> | undefined;
}

/** Starts the first turn. */
export function createTurns(clock: Clock): Turns {
  let beganMs = clock.monotonicMs();
  return {
    pause() {
      if (clock.monotonicMs() - beganMs < ROUTE_LIMITS.validationTurnMs) return undefined;
      return sleep(clock, 0).then(() => {
        beganMs = clock.monotonicMs();
      });
    },
  };
}
