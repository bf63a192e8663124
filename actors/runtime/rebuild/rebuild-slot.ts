import { type Clock, sleep } from '../../../core/kernel/clock.ts';

/**
 * Lets one partition of a process load snapshots at a time: two loads at once would take longer each, and twice the
 * memory.
 */
export interface RebuildSlot {
  /** Resolves with the function that frees the slot; `undefined`: stopped before the slot was free. */
  take(clock: Clock, stopped: () => boolean): Promise<(() => void) | undefined>;
}

const CHECK_MS = 100;

export function createRebuildSlot(): RebuildSlot {
  const slot = { taken: false };
  return {
    async take(clock, stopped) {
      while (slot.taken && !stopped()) await sleep(clock, CHECK_MS);
      if (stopped()) return undefined;
      slot.taken = true;
      return () => {
        slot.taken = false;
      };
    },
  };
}
